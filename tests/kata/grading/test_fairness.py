"""Two answers that are each right, and fail together, lose no mark."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from kata.course.curriculum import exercises
from kata.grading.collecting.submissions import Submission
from kata.grading.options import Options
from kata.grading.reports.wording import exercise_text
from kata.judging.case import begin_run
from kata.verdict import State
from tests.helpers.grader import lent_judge

if TYPE_CHECKING:
    from kata.grading.judge import Judge

EARLIER, LATER = "ex01_softmax", "ex16_numpy_multi_head"
SEED = 7


@pytest.fixture(scope="module")
def judge() -> Iterator["Judge"]:
    yield lent_judge(Options((EARLIER, LATER), {EARLIER: 1.0, LATER: 3.0}, SEED))
    begin_run(0)


def answer(slug: str, name: str) -> bytes:
    return (exercises()[slug].accepted / f"{name}.py").read_bytes()


def test_right_work_on_right_work_is_right(judge: "Judge") -> None:
    files = {EARLIER: answer(EARLIER, "log_sum_exp"), LATER: answer(LATER, "single_precision")}

    found = judge.grade(Submission("ann", files))

    earlier, later = found.exercises
    assert [each.score for each in found.marks] == [1.0, 3.0]
    assert (earlier.set_aside, later.set_aside) == ((), (EARLIER,))
    assert later.stand_ins == (EARLIER,)
    assert (
        "ex01_softmax passes, but more claims hold here on top of the reference"
        in exercise_text(later)
    )


def test_what_is_wrong_on_both_keeps_the_student_s_own_work(judge: "Judge") -> None:
    wrong = answer(LATER, "single_precision").replace(b"np.sqrt(", b"(")
    own = exercises()[EARLIER].solution.read_bytes()
    assert wrong != answer(LATER, "single_precision")

    found = judge.grade(Submission("ben", {EARLIER: own, LATER: wrong}))

    later = found.exercises[1]
    assert later.state is State.FAILED
    assert later.set_aside == later.stand_ins == ()
