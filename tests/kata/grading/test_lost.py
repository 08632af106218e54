"""What goes wrong on the grader's side is never a verdict: the work is judged again, or lost."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING
from unittest.mock import patch

import pytest

from kata.class_verdict import SubmissionVerdict, submission_to_dict
from kata.course.curriculum import exercises
from kata.errors import FaultError, HostError
from kata.grading import pool as module
from kata.grading import sandbox
from kata.grading.collecting.submissions import Submission
from kata.grading.journal import Journal
from kata.grading.options import CRASHES, Options
from kata.grading.pool import FAULT, JUDGE_DIED, Answer, JudgePool, answer, checked, not_their_doing
from kata.judging import case
from kata.verdict import State
from tests.helpers.grader import lent_judge

if TYPE_CHECKING:
    from kata.grading.judge import Judge

EX01 = exercises()["ex01_softmax"]
OPTIONS = Options((EX01.slug,), {EX01.slug: 1.0}, seed=3)

pytestmark = pytest.mark.skipif(bool(sandbox.missing()), reason="not all promises can be kept here")


def handed_in(name: str, text: str = "") -> Submission:
    """The right answer, or this text."""
    content = text or f"{EX01.solution.read_text()}# {name}\n"
    return Submission(name, {EX01.slug: content.encode()})


@pytest.fixture(scope="module")
def judge() -> "Iterator[Judge]":
    """One in this process."""
    yield lent_judge(OPTIONS)
    case.begin_run(0)


@pytest.mark.parametrize(
    "error", [HostError("no process can be started"), BlockingIOError(11, "no more processes")]
)
def test_a_worker_that_cannot_be_started_is_nobodys_mistake(
    judge: "Judge", error: Exception
) -> None:
    with patch.object(judge.workers, "start", side_effect=error):
        found, again = answer(judge, handed_in("ann"))

    assert again
    assert found["exercises"] == []
    assert "not this student's doing" in found["problem"]
    assert str(error) in found["problem"]


def test_nor_is_a_fault_that_only_one_work_brings_about(judge: "Judge") -> None:
    grades = judge.grade

    def grade(submission: Submission) -> SubmissionVerdict:
        if b"# ann" in submission.files[EX01.slug]:
            raise KeyError("oh")
        return grades(submission)

    with patch.object(judge, "grade", side_effect=grade):
        found, again = checked(answer(judge, handed_in("ann")))

    assert again
    assert "the grader itself has a fault (KeyError, " in found["problem"]


def test_a_fault_that_the_reference_meets_is_the_graders_own(judge: "Judge") -> None:
    with (
        patch.object(judge, "exercise", side_effect=KeyError("oh")),
        pytest.raises(FaultError, match=r"no submission is to blame: KeyError, .*oh"),
    ):
        checked(answer(judge, handed_in("ann")))


def test_a_judge_that_has_failed_judges_the_next_one(judge: "Judge") -> None:
    found, again = answer(judge, handed_in("bob"))

    assert not again
    assert found["problem"] == ""
    assert {claim["state"] for claim in found["exercises"][0]["claims"]} == {State.PASSED.value}


def test_what_is_lost_is_graded_in_the_next_run(tmp_path: Path) -> None:
    with closing(Journal(tmp_path, OPTIONS)) as journal:
        journal.note(handed_in("ann"), SubmissionVerdict("ann", problem="the machine was full"))

    with closing(Journal(tmp_path, OPTIONS)) as journal:
        assert not journal.knows(handed_in("ann"))


# -- a pool whose processes say what a test wants


@dataclass
class Processes:
    """What judges answer, one after the other; None is a crash."""

    answers: list[Answer | Exception | None] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    ended: int = 0

    def __call__(self, *_: object) -> "Processes":
        return self

    def ask(self, submission: Submission) -> Answer | None:
        self.asked.append(submission.student)
        found = self.answers.pop(0)
        if isinstance(found, Exception):
            raise found
        return found

    def end(self) -> None:
        self.ended += 1


@pytest.fixture
def processes() -> Iterator[Processes]:
    found = Processes()
    with patch.object(module, "FirstJudge", found), patch.object(module, "JudgeProcess", found):
        yield found


def said(name: str, *, alone: bool = False) -> Answer:
    return submission_to_dict(SubmissionVerdict(name)), alone


def problems(*names: str) -> dict[str, str]:
    """Of everybody who is graded by one judge, in the order in which they are done."""
    pool = JudgePool(OPTIONS, 1)
    return {h.student: v.problem for h, v in pool.grade(handed_in(name) for name in names)}


CRASHED, TWICE = [None] * CRASHES, said("ann", alone=True)


@pytest.mark.parametrize(("answers", "done", "asked"), [
    pytest.param([*CRASHED[1:], said("ann"), said("bob")], {"ann": "", "bob": ""},
                 [*["ann"] * CRASHES, "bob"], id="a judge that crashed is replaced"),
    pytest.param([TWICE, said("bob"), TWICE], {"bob": "", "ann": ""},
                 ["ann", "bob", "ann"], id="too little of the machine: again at the end"),
    pytest.param([*CRASHED, said("bob"), *CRASHED], {"bob": "", "ann": JUDGE_DIED},
                 [*["ann"] * CRASHES, "bob", *["ann"] * CRASHES], id="crashes again and again"),
])  # fmt: skip
def test_who_is_judged_again(
    processes: Processes, answers: list[Answer | Exception | None], done: dict[str, str],
    asked: list[str],
) -> None:  # fmt: skip
    processes.answers = [*answers]

    assert [*problems("ann", "bob").items()] == [*done.items()]
    assert processes.asked == asked


def test_a_machine_on_which_no_judge_has_ever_answered_is_told_at_once(
    processes: Processes,
) -> None:
    processes.answers = [HostError("no process can be started")]
    with pytest.raises(HostError, match="no process can be started"):
        problems("ann", "bob")

    full = HostError("full")
    processes.answers = [said("ann"), full, full]
    assert problems("ann", "bob") == {"ann": "", "bob": not_their_doing(full)}


def test_a_fault_of_the_kata_ends_the_run(processes: Processes) -> None:
    processes.answers = [({FAULT: "no submission is to blame"}, False)]

    with pytest.raises(FaultError, match="no submission is to blame"):
        problems("ann")


def test_a_pool_ends_all_its_processes(processes: Processes) -> None:
    JudgePool(OPTIONS, 3).end()

    assert processes.ended == 3 + 1  # with the first judge


def test_no_more_work_is_read_than_there_are_judges(processes: Processes) -> None:
    processes.answers = [said(name) for name in "abcd"]
    read: list[str] = []

    def work() -> Iterator[Submission]:
        for name in "abcd":
            read.append(name)
            yield handed_in(name)

    found = JudgePool(OPTIONS, 2).grade(work())
    next(found)

    assert len(read) == 2
    assert len([*found]) == 3
