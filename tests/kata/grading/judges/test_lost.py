"""What goes wrong on the grader's side is never a verdict: the work is judged again, or lost."""

import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from threading import Thread
from unittest.mock import patch

import pytest

from kata.course.curriculum import exercises
from kata.errors import FaultError, HostError
from kata.grading.collecting.submissions import HandedIn
from kata.grading.journal import Journal
from kata.grading.judges.answer import answer, checked
from kata.grading.judges.pool import MOST_TRIES, JudgePool
from kata.grading.options import Options
from kata.grading.sandbox import sandbox
from kata.grading.verdicts.judge import Judge, judge_for
from kata.judging import case
from kata.verdict import State, SubmissionVerdict
from kata.words import say
from tests.helpers.processes import command, descendants, until, workers

EX01 = exercises()["ex01_softmax"]
OPTIONS = Options((EX01.slug,), {EX01.slug: 1.0}, seed=3)
LONG = 120

pytestmark = [
    pytest.mark.skipif(bool(sandbox.missing()), reason="not all promises can be kept here"),
    pytest.mark.timeout(900),
]


def handed_in(name: str, text: str = "") -> HandedIn:
    """The right answer, or this text."""
    content = text or f"{EX01.solution.read_text()}# {name}\n"
    return HandedIn(name, {EX01.slug: content.encode()})


@pytest.fixture(scope="module")
def judge() -> Iterator[Judge]:
    """One in this process."""
    found = judge_for(OPTIONS)
    yield found
    found.end()
    case.begin_run(0)


@pytest.mark.parametrize(
    "error", [HostError("no process can be started"), BlockingIOError(11, "no more processes")]
)
def test_a_worker_that_cannot_be_started_is_nobodys_mistake(judge: Judge, error: Exception) -> None:
    with patch.object(judge.workers, "start", side_effect=error):
        found, again = answer(judge, handed_in("ann"))

    assert again
    assert found["exercises"] == []
    assert "not this student's doing" in found["problem"]
    assert str(error) in found["problem"]


def test_nor_is_a_fault_that_only_one_work_brings_about(judge: Judge) -> None:
    grades = judge.grade

    def grade(handed: HandedIn) -> SubmissionVerdict:
        if b"# ann" in handed.files[EX01.slug]:
            raise KeyError("oh")
        return grades(handed)

    with patch.object(judge, "grade", side_effect=grade):
        found, again = checked(answer(judge, handed_in("ann")))

    assert again
    assert "the grader itself has a fault (KeyError, " in found["problem"]


def test_a_fault_that_the_reference_meets_is_the_graders_own(judge: Judge) -> None:
    with (
        patch.object(judge, "exercise", side_effect=KeyError("oh")),
        pytest.raises(FaultError, match=r"no submission is to blame: KeyError, .*oh"),
    ):
        checked(answer(judge, handed_in("ann")))


def test_a_judge_that_has_failed_judges_the_next_one(judge: Judge) -> None:
    found, again = answer(judge, handed_in("bob"))

    assert not again
    assert found["problem"] == ""
    assert {claim["state"] for claim in found["exercises"][0]["claims"]} == {State.PASSED.value}


def test_what_is_lost_is_graded_in_the_next_run(tmp_path: Path) -> None:
    with closing(Journal(tmp_path, OPTIONS)) as journal:
        journal.note(handed_in("ann"), SubmissionVerdict("ann", problem="the machine was full"))

    with closing(Journal(tmp_path, OPTIONS)) as journal:
        assert not journal.knows(handed_in("ann"))


# -- a pool whose processes are killed


@pytest.fixture
def pool() -> Iterator[JudgePool]:
    """One judge, and what is below it."""
    found = JudgePool(OPTIONS, 1)
    yield found
    found.end()


def killed(which: Callable[[], list[int]], count: int) -> Thread:
    """Kill these processes so many times, as soon as there are any."""

    def run() -> None:
        for _ in range(count):
            end = time.monotonic() + LONG
            while not (there := which()) and time.monotonic() < end:
                time.sleep(0.01)
            for each in there:
                os.kill(each, signal.SIGKILL)
            while any(Path(f"/proc/{each}/cmdline").exists() for each in there):
                time.sleep(0.01)
                if not any(command(each) for each in there):
                    break

    thread = Thread(target=run, daemon=True)
    thread.start()
    return thread


def judges() -> list[int]:
    """The first judge and its forks."""
    return [each for each in descendants(os.getpid()) if "first_judge" in command(each)]


def working() -> list[int]:
    """The forks of the first judge, once one of them has started a worker."""
    return judges()[1:] if workers(os.getpid()) else []


def warm() -> list[int]:
    """The process of which workers are forks, and all that it has forked."""
    return [each for each in descendants(os.getpid()) if "inside/worker.py" in command(each)]


SLEEPS = "import time\n\ntime.sleep(5)\n"


@pytest.mark.parametrize(
    "which", [lambda: workers(os.getpid()), judges, warm], ids=["worker", "judges", "warm process"]
)
def test_one_kill_costs_nobody_anything(pool: JudgePool, which: Callable[[], list[int]]) -> None:
    work = [handed_in("ann", f"{SLEEPS}{EX01.solution.read_text()}"), handed_in("bob")]
    assassin = killed(which, 1)

    found = {handed.student: verdict for handed, verdict in pool.grade(iter(work))}

    assassin.join()
    assert {name: verdict.problem for name, verdict in found.items()} == {"ann": "", "bob": ""}
    assert {verdict.marks[0].score for verdict in found.values()} == {1.0}


def test_a_judge_that_is_killed_again_and_again_is_told_as_the_graders(pool: JudgePool) -> None:
    assassin = killed(working, 2 * MOST_TRIES)

    work = handed_in("ann", f"{SLEEPS}{EX01.solution.read_text()}")
    ((_, verdict),) = pool.grade(iter([work]))

    assassin.join()
    assert verdict.exercises == ()
    assert verdict.problem == say("judges.judge-died", count=MOST_TRIES)


def test_a_pool_can_be_ended_while_its_first_judge_starts() -> None:
    """Ctrl-C waits for no import of torch."""
    pool = JudgePool(OPTIONS, 1)
    until(judges)
    (first,) = judges()
    os.kill(first, signal.SIGSTOP)  # it will never be ready
    asking = Thread(target=ask, args=[pool], daemon=True)
    asking.start()

    pool.end()

    asking.join(LONG)
    assert not asking.is_alive()
    assert judges() == []


def ask(pool: JudgePool) -> None:
    """Wait for a verdict that never comes."""
    with pytest.raises(HostError):
        pool.judge(handed_in("ann"))
