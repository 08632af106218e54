"""What a judge process answers: a verdict, or that its own side has failed.

Where the grader's own code raises, its reference is judged, too: if that is not found right, no
submission has brought it about, and the run ends.
"""

import traceback
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kata.class_verdict import SubmissionVerdict, submission_to_dict
from kata.course.curriculum import exercises
from kata.errors import FaultError, HostError, LostError
from kata.grading.collecting.submissions import HandedIn
from kata.text import line
from kata.verdict import State
from kata.words import say

if TYPE_CHECKING:
    from kata.grading.verdicts.judge import Judge  # with it comes torch

FAULT = "fault"  # the key of an answer that is no verdict
Answer = tuple[dict[str, Any], bool]  # a verdict as plain data, and whether to judge again, alone


def answer(judge: "Judge", handed: HandedIn) -> Answer:
    """The verdict; whatever goes wrong here is not the submission's doing, and costs no mark."""
    try:
        verdict = judge.grade(handed)
    except (LostError, HostError, OSError) as error:
        return lost(handed, say("judges.host", reason=error)), True
    except Exception as error:
        if _fails_on_the_reference(judge, handed):
            return {FAULT: own_fault(error)}, False
        return lost(handed, say("judges.fault", error=_where(error))), True
    return submission_to_dict(verdict), judge.starved


def _fails_on_the_reference(judge: "Judge", handed: HandedIn) -> bool:
    """Whether the reference, handed in likewise, is not found right either."""
    right = {each: exercises()[each].solution.read_bytes() for each in handed.files}
    try:
        verdict = judge.grade(HandedIn(handed.student, right))
    except (LostError, HostError, OSError):
        return False  # which says nothing about the code
    except Exception:
        return True
    return any(each.state is not State.PASSED for each in verdict.exercises if each.slug in right)


def checked(found: Answer) -> Answer:
    """The same answer; raises FaultError if it is that the grader has a fault."""
    if fault := found[0].get(FAULT):
        raise FaultError(fault)
    return found


def lost(handed: HandedIn, problem: str) -> dict[str, Any]:
    """That there is no verdict, and why."""
    return submission_to_dict(SubmissionVerdict(handed.student, (), (), handed.notes, problem))


def own_fault(error: Exception) -> str:
    """That this is a fault of the kata itself."""
    return say("judges.own-fault", where=_where(error), reason=line(str(error)))


def _where(error: Exception) -> str:
    """What was raised, and where, for the maintainers."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__}, {Path(last.filename).name}:{last.lineno}"
