"""What a judge process answers: a verdict, or that its own side has failed."""

import traceback
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kata.errors import HostError, LostError
from kata.grading.collecting.submissions import HandedIn
from kata.verdict import SubmissionVerdict, submission_to_dict
from kata.words import say

if TYPE_CHECKING:
    from kata.grading.verdicts.judge import Judge  # with it comes torch

Answer = tuple[dict[str, Any], bool]  # a verdict as plain data, and whether to judge again, alone


def answer(judge: "Judge", handed: HandedIn) -> Answer:
    """The verdict; whatever goes wrong here is not the submission's doing, and costs no mark."""
    try:
        verdict = judge.grade(handed)
    except (LostError, HostError, OSError) as error:
        return lost(handed, say("judges.host", reason=error)), True
    except Exception as error:
        return lost(handed, say("judges.fault", error=_where(error))), True
    return submission_to_dict(verdict), judge.starved


def lost(handed: HandedIn, problem: str) -> dict[str, Any]:
    """That there is no verdict, and why."""
    return submission_to_dict(SubmissionVerdict(handed.student, (), (), handed.notes, problem))


def _where(error: Exception) -> str:
    """What was raised, and where, for the maintainers."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__}, {Path(last.filename).name}:{last.lineno}"
