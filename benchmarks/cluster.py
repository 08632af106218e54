"""What a cluster adds to the cost of a class: `python -m benchmarks.cluster [COUNT]`.

So many submissions of ex09, right and wrong ones in turn and no two equal, without diagnosis: the
first of them by the judges of this machine as the grader uses them, then all of them by a scheduler
and as many workers, which are processes of this machine, too. Starting up is told apart: the clock
begins with the first verdict. The verdicts of both have to be the same.
"""

import argparse
import os
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import islice
from typing import Any

from benchmarks.grader import EX09, MIB, Kind, pss
from kata.course.curriculum import exercises
from kata.grading.collecting.submissions import HandedIn
from kata.grading.journal import timeless
from kata.grading.judges.cluster import LOCAL, Cluster
from kata.grading.judges.options import Options
from kata.grading.judges.pool import JudgePool
from kata.verdict import SubmissionVerdict, submission_to_dict

OPTIONS = Options((EX09,), {EX09: float(exercises()[EX09].points)}, seed=1, diagnosis=False)
DECK = 60  # different answers
COUNT, FEW, WORKERS = 10_000, 200, 2
EVERY = 50  # submissions between two looks at the memory


@dataclass
class Measured:
    """One run."""

    verdicts: dict[str, bytes] = field(default_factory=dict)  # digests: a class is not kept
    start: float = 0.0  # seconds until the first verdict
    seconds: float = 0.0  # from the first to the last
    memory: float = 0.0  # the most MiB of this process
    problems: int = 0

    @property
    def each(self) -> float:
        """Milliseconds for one more."""
        return 1000 * self.seconds / (len(self.verdicts) - 1)


def work(count: int) -> Iterator[HandedIn]:
    """So many, one after the other."""
    submissions = Kind("cluster", (EX09,), (DECK,), 0).submissions()
    for number, files in enumerate(islice(submissions, count)):
        yield HandedIn(f"s{number:05}", files)


def measured(made: Callable[[], JudgePool | Cluster], count: int) -> Measured:
    """Let them grade the first so many."""
    found, begun = Measured(), time.perf_counter()
    crew = made()
    try:
        for handed, verdict in crew.grade(work(count)):
            if not found.verdicts:
                found.start = time.perf_counter() - begun
            note(found, handed, verdict)
        found.seconds = time.perf_counter() - begun - found.start
    finally:
        crew.end()
    return found


def note(found: Measured, handed: HandedIn, verdict: SubmissionVerdict) -> None:
    """Keep what is compared, and from time to time how large this process is."""
    plain: dict[str, Any] = timeless(submission_to_dict(verdict))
    found.verdicts[handed.student] = sha256(repr(plain).encode()).digest()
    found.problems += bool(verdict.problem)
    if len(found.verdicts) % EVERY == 0:
        found.memory = max(found.memory, pss(os.getpid()) / MIB)


def row(name: str, found: Measured) -> None:
    """One line of the table."""
    print(f"  {name:<12}{len(found.verdicts):>12}{found.start:>10.1f}{found.seconds:>10.1f}"
          f"{found.each:>10.1f}{found.memory:>10.0f}", flush=True)  # fmt: skip


def main() -> int:
    """Exit 1 if anything was lost, or is not as it is without a cluster."""
    options = _parser().parse_args()
    few = min(options.few, options.count)
    print(f"ex09, --no-diagnosis, {options.workers} judges")
    print(f"  {'':<12}{'submissions':>12}{'s start':>10}{'s':>10}{'ms each':>10}{'MiB here':>10}")
    here = measured(lambda: JudgePool(OPTIONS, options.workers), few)
    row("crew", here)
    there = measured(lambda: Cluster(OPTIONS, options.address, options.workers), options.count)
    row("cluster", there)
    print(f"  one more costs {there.each / here.each:.2f} times as much on the cluster")
    same = all(there.verdicts.get(student) == each for student, each in here.verdicts.items())
    whole = len(there.verdicts) == options.count and not there.problems
    print(f"  {'the same verdicts' if same else 'OTHER VERDICTS'}, {there.problems} lost")
    return 0 if same and whole else 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description="What a cluster adds to the cost of a class.")
    parser.add_argument("count", type=int, nargs="?", default=COUNT)
    parser.add_argument("--few", type=int, default=FEW, help="for the judges without a cluster")
    parser.add_argument("--workers", type=int, default=WORKERS)
    parser.add_argument("--address", default=LOCAL, help="of another scheduler")
    return parser


if __name__ == "__main__":
    sys.exit(main())
