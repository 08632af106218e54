"""Where the CPU time of grading goes: `python -m benchmarks.steps [--count N]`.

One judge grades submissions, half of them right, in this process. The seconds of its forker and of
its workers are those that the kernel has counted. Beside them stands the floor: the suites in a
warm process, and the calls of the answers' own code among them.
"""

import argparse
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any
from unittest.mock import patch

from benchmarks.grader import EX09, Kind
from kata.course.curriculum import exercises
from kata.course.target import Target
from kata.grading.collecting.submissions import Submission
from kata.grading.options import Options
from kata.grading.sandbox.channel import Channel
from kata.grading.verdicts import script_judge
from kata.grading.verdicts.judge import Judge, judge_for
from kata.inside import wire as frames
from kata.inside.objects import Objects
from kata.judging.judge import judge
from tests.helpers.processes import command, descendants

TICK = os.sysconf("SC_CLK_TCK")
WARM = 4  # submissions before the clock starts


class Spent:
    """CPU seconds of this thread within some functions, not counting those that they call twice."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self._inside = False

    def timed(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """The same function, whose time is counted."""

        def run(*args: Any, **kwargs: Any) -> Any:
            if self._inside:
                return function(*args, **kwargs)
            self._inside, start = True, time.process_time()
            try:
                return function(*args, **kwargs)
            finally:
                self._inside = False
                self.seconds += time.process_time() - start

        return run


@contextmanager
def counted(*places: tuple[Any, str]) -> Iterator[Spent]:
    """What these functions take within this block."""
    spent = Spent()
    patches = [
        patch.object(owner, name, spent.timed(getattr(owner, name))) for owner, name in places
    ]
    for each in patches:
        each.start()
    try:
        yield spent
    finally:
        for each in patches:
            each.stop()


def of_workers() -> tuple[float, float]:
    """CPU seconds of all processes that fork workers, and of all workers that have ended."""
    own = ended = 0
    for process in descendants(os.getpid()):
        if "inside/worker.py" in command(process):
            fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
            own += int(fields[11]) + int(fields[12])
            ended += int(fields[13]) + int(fields[14])
    return own / TICK, ended / TICK


def measure(kind: Kind, count: int, *, diagnosis: bool) -> None:
    """Print a table of the steps for one kind of submission."""
    made = judge_for(Options(kind.slugs, dict.fromkeys(kind.slugs, 1.0), 1, diagnosis=diagnosis))
    submissions = [*islice(kind.submissions(), WARM + count)]
    for files in submissions[:WARM]:
        made.grade(Submission("ann", files))
    _print(kind.name, count, graded(made, submissions[WARM:]) | floor(kind, submissions[WARM:]))
    made.end()


def graded(made: Judge, submissions: list[Any]) -> dict[str, float]:
    """The CPU seconds of each step."""
    forks, workers = of_workers()
    places = [(Channel, "receive"), (Channel, "send"), (script_judge, "key_of_answers")]
    with counted(*places, (frames, "replies")) as wire:
        start = time.process_time()
        for files in submissions:
            made.grade(Submission("ann", files))
        total = time.process_time() - start
    forks_then, workers_then = of_workers()
    return {
        "judge": total - wire.seconds,
        "wire, at the judge's end": wire.seconds,
        "fork and kill": forks_then - forks,
        "worker": workers_then - workers,
    }


def floor(kind: Kind, submissions: list[Any]) -> dict[str, float]:
    """The suites alone, and the answers' own code in them."""
    with counted((Objects, "call")) as calls:
        start = time.process_time()
        for files in submissions:
            for slug in kind.slugs:
                judge(exercises()[slug], Target(Path("theirs"), files))
        total = time.process_time() - start
    return {"the suites alone": total, "calls of the answers' own code": calls.seconds}


def _print(name: str, count: int, steps: dict[str, float]) -> None:
    print(f"{name}, CPU milliseconds for a submission ({count} of them)")
    whole = [*steps.items()][:4]
    rows = [*whole, ("all together", sum(value for _, value in whole)), *[*steps.items()][4:]]
    for what, value in rows:
        print(f"  {what:<34}{1000 * value / count:8.1f}")


def main() -> None:
    """Both kinds of submission."""
    parser = argparse.ArgumentParser(description="Where the CPU time of grading goes.")
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--diagnosis", action="store_true")
    options = parser.parse_args()
    for name, slugs in (("ex09", (EX09,)), ("all eighteen", tuple(exercises()))):
        kind = Kind(name, slugs, (WARM + options.count, 0), 0)
        measure(kind, options.count, diagnosis=options.diagnosis)


if __name__ == "__main__":
    main()
