"""What of a verdict a student may read after an exam: nothing that gives a solution away."""

from dataclasses import replace

from kata.class_verdict import SubmissionVerdict
from kata.verdict import ClaimVerdict, ExerciseVerdict, Message, State

UNJUDGED = {State.ERROR, State.NOT_STARTED, State.NOT_GRADABLE}


def sealed(verdict: SubmissionVerdict) -> SubmissionVerdict:
    """Points, how many claims hold, and the name of the first one that does not.

    Why a file could not be read at all stays: that says something about the file, not the answer.
    """
    exercises = tuple(map(_exercise, verdict.exercises))
    return replace(verdict, exercises=exercises)


def _exercise(found: ExerciseVerdict) -> ExerciseVerdict:
    first = found.first_failure
    claims = tuple(_claim(each, found, named=each is first) for each in found.claims)
    return replace(found, claims=claims, diagnosis=None, printed="", flags=())


def _claim(claim: ClaimVerdict, found: ExerciseVerdict, *, named: bool) -> ClaimVerdict:
    if not named:
        return replace(claim, message=None)
    about_file = found.is_whole or (claim.message and not claim.message.inputs)
    if about_file and claim.message and claim.state in UNJUDGED:
        return replace(claim, message=Message(claim.message.claim))
    return replace(claim, message=Message(claim.in_words.partition("[")[0]))
