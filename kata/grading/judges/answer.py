"""What a judge process answers: a verdict, or that its own side has failed.

Where the grader's own code raises, its reference is judged, too: if that is not found right, no
submission has brought it about, and the run ends.
"""

import traceback
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kata.class_verdict import SubmissionVerdict, submission_to_dict
from kata.course.curriculum import exercises
from kata.errors import FaultError, HostError, LostError
from kata.grading.collecting.submissions import HandedIn
from kata.plain import encode
from kata.text import clean, line
from kata.verdict import State

if TYPE_CHECKING:
    from kata.grading.verdicts.judge import Judge  # with it comes torch

PATIENCE = 600  # seconds without work after which a judge exits
FAULT = "fault"  # the key of an answer that is no verdict
Answer = tuple[dict[str, Any], bool]  # a verdict as plain data, and whether to judge again, alone


def serve(pipe: "Connection[Any, Any]", judge: "Judge") -> None:
    """Judge one submission after the other, until nobody asks any more."""
    with suppress(EOFError, OSError):
        while pipe.poll(PATIENCE):  # a client of a cluster may vanish without a word
            pipe.send(answer(judge, pipe.recv()))


def answer(judge: "Judge", handed: HandedIn) -> Answer:
    """Judge a submission; whatever goes wrong here is not its doing, and costs no mark."""
    try:
        verdict = judge.grade(handed)
    except (LostError, HostError, OSError) as error:
        return lost(handed, not_their_doing(error)), True
    except Exception as error:
        if _fails_on_the_reference(judge, handed):
            return {FAULT: own_fault(error)}, False
        fault = f"the grader itself has a fault ({_where(error)})"
        return lost(handed, not_their_doing(fault)), True
    works = {"works": encode(verdict.works)}
    return submission_to_dict(verdict) | works, judge.starved


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


def checked(answer: Answer) -> Answer:
    """Return the same answer; raises FaultError if it is that the grader has a fault."""
    if fault := answer[0].get(FAULT):
        raise FaultError(fault)
    return answer


def not_their_doing(reason: object) -> str:
    """Say why a submission was not graded, and that its student is not to blame."""
    return f"could not be graded, which is not this student's doing: {clean(str(reason))}"


def lost(handed: HandedIn, problem: str) -> dict[str, Any]:
    """Say that there is no verdict, and why."""
    return submission_to_dict(SubmissionVerdict(handed.student, (), (), handed.notes, problem))


def own_fault(error: Exception) -> str:
    """Say that this is a fault of the kata itself."""
    return own_fault_at(_where(error), str(error))


def own_fault_at(place: str, reason: str) -> str:
    """Say the same of a file of the course."""
    return (
        f"the grader itself has a fault, and no submission is to blame: {clean(place)}:"
        f" {line(reason)}; what was graded so far is kept"
    )


def _where(error: Exception) -> str:
    """What was raised, and where, for the maintainers."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__}, {Path(last.filename).name}:{last.lineno}"
