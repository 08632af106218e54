"""What cost a class most: mistakes, and work that no known mistake explains."""

from kata.grading.reports.counting import Tally
from kata.points import Mark
from kata.verdict import ClaimVerdict, ExerciseVerdict, Message, State

SLUG = "ex01_softmax"


def found(message: Message) -> ExerciseVerdict:
    claim = ClaimVerdict("test_each_row_sums_to_one_by_itself", State.FAILED, message)
    return ExerciseVerdict(SLUG, (claim,))


def tally(message: Message) -> Tally:
    tally = Tally()
    for student in ("ada", "ben"):
        tally.add(student, found(message), Mark(0, 1))
    return tally


def test_a_function_that_is_not_there_explains_itself() -> None:
    evidence = "ex01_softmax.py has no `softmax`; did you mean `sofmax`?"
    (group,) = tally(Message("Each row sums to one.", evidence=evidence, leads=True)).groups

    assert group.absent
    assert group.sentence == evidence


def test_other_work_is_told_by_the_claim_that_fails_first() -> None:
    (group,) = tally(Message("Each row sums to one.", evidence="expected 1, got 2")).groups

    assert not group.absent
    assert group.sentence == "Each row sums to one."
