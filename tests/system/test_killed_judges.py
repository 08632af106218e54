"""What becomes of a class whose judges are killed: nobody loses anything."""

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import suppress
from threading import Thread

import pytest

from kata.errors import HostError
from kata.grading import sandbox
from kata.grading.options import CRASHES
from kata.grading.pool import JUDGE_DIED, JudgePool
from tests.helpers.processes import command, descendants, until, workers
from tests.kata.grading.test_lost import EX01, OPTIONS, handed_in

LONG = 120

pytestmark = [
    pytest.mark.skipif(bool(sandbox.missing()), reason="not all promises can be kept here"),
    pytest.mark.timeout(900),
]


@pytest.fixture(scope="module")
def pool() -> Iterator[JudgePool]:
    """One judge, and what is below it; it outlives what its processes do not."""
    found = JudgePool(OPTIONS, 1)
    yield found
    found.end()


def kill(which: Callable[[], list[int]]) -> None:
    """Kill these processes as soon as there are any."""
    there: list[int] = []
    until(lambda: there or there.extend(which()))
    for process in there:
        with suppress(ProcessLookupError):  # it has ended with the one before
            os.kill(process, signal.SIGKILL)
    until(lambda: not any(map(command, there)))


def killed(which: Callable[[], list[int]], count: int) -> Thread:
    """Kill them so many times, meanwhile."""
    thread = Thread(target=lambda: [kill(which) for _ in range(count)], daemon=True)
    thread.start()
    return thread


def judges() -> list[int]:
    """The first judge and its forks."""
    return [each for each in descendants(os.getpid()) if "grading.pool" in command(each)]


def working() -> list[int]:
    """The forks of the first judge, once one of them has started a worker."""
    return judges()[1:] if workers(os.getpid()) else []


def warm() -> list[int]:
    """The process of which workers are forks, with its walls and all that it has forked.

    Once one of them works: who kills walls that are being built may leave somebody inside alone.
    """
    found = [each for each in descendants(os.getpid()) if "inside/worker.py" in command(each)]
    return found if workers(os.getpid()) else []


def test_a_pool_can_be_ended_while_its_first_judge_starts() -> None:
    """Ctrl-C waits for no import of torch. The first test here: no other pool has judges yet."""
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


SLEEPS = "import time\n\ntime.sleep(2)\n"  # so long there is a worker that can be killed


@pytest.mark.parametrize(
    "which", [lambda: workers(os.getpid()), judges, warm], ids=["worker", "judges", "warm process"]
)
def test_one_kill_costs_nobody_anything(pool: JudgePool, which: Callable[[], list[int]]) -> None:
    own = f"{EX01.solution.read_text()}# {which}\n"  # what is known is not judged again
    work = [handed_in("ann", f"{SLEEPS}{own}"), handed_in("bob", own)]
    assassin = killed(which, 1)

    found = {submission.student: verdict for submission, verdict in pool.grade(iter(work))}

    assassin.join()
    assert {name: verdict.problem for name, verdict in found.items()} == {"ann": "", "bob": ""}
    assert {verdict.marks[0].score for verdict in found.values()} == {1.0}


def test_a_judge_that_is_killed_again_and_again_is_told_as_the_graders(pool: JudgePool) -> None:
    assassin = killed(working, 2 * CRASHES)

    work = handed_in("ann", f"{SLEEPS}{EX01.solution.read_text()}")
    ((_, verdict),) = pool.grade(iter([work]))

    assassin.join()
    assert verdict.exercises == ()
    assert verdict.problem == JUDGE_DIED
