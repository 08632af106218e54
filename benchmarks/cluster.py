"""What a cluster adds to the cost of grading: `python -m benchmarks.cluster [COUNT]`.

COUNT submissions of ex09, alternately right and wrong, all different, without diagnosis. A pool of
judges grades the first few, as without a cluster; then a scheduler and as many workers on this
machine grade all of them. Start-up is measured separately: the clock starts with the first verdict.
Both have to give the same verdicts.
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
from kata.class_verdict import SubmissionVerdict, submission_to_dict, timeless
from kata.course.curriculum import exercises
from kata.grading.collecting.submissions import Submission
from kata.grading.judges.cluster import LOCAL, Cluster
from kata.grading.judges.pool import JudgePool
from kata.grading.options import Options

OPTIONS = Options((EX09,), {EX09: float(exercises()[EX09].points)}, seed=1, diagnosis=False)
ANSWERS = 60  # different ones
COUNT, FEW, WORKERS = 10_000, 200, 2
EVERY = 50  # submissions between two measurements of memory


@dataclass
class Measured:
    """One run."""

    verdicts: dict[str, bytes] = field(default_factory=dict)  # digests, to save memory
    start: float = 0.0  # seconds until the first verdict
    seconds: float = 0.0  # from the first to the last
    memory: float = 0.0  # peak of this process, in MiB
    problems: int = 0

    @property
    def each(self) -> float:
        """Milliseconds for one more submission."""
        return 1000 * self.seconds / (len(self.verdicts) - 1)


def submitted(count: int) -> Iterator[Submission]:
    """This many submissions."""
    submissions = Kind("cluster", (EX09,), (ANSWERS,), 0).submissions()
    for number, files in enumerate(islice(submissions, count)):
        yield Submission(f"s{number:05}", files)


def measured(start: Callable[[], JudgePool | Cluster], count: int) -> Measured:
    """Start judges, and let them grade the first submissions."""
    found, begun = Measured(), time.perf_counter()
    judges = start()
    try:
        for submission, verdict in judges.grade(submitted(count)):
            if not found.verdicts:
                found.start = time.perf_counter() - begun
            note(found, submission, verdict)
        found.seconds = time.perf_counter() - begun - found.start
    finally:
        judges.end()
    return found


def note(found: Measured, submission: Submission, verdict: SubmissionVerdict) -> None:
    """Keep a digest of the verdict, and measure memory from time to time."""
    plain: dict[str, Any] = timeless(submission_to_dict(verdict))
    found.verdicts[submission.student] = sha256(repr(plain).encode()).digest()
    found.problems += bool(verdict.problem)
    if len(found.verdicts) % EVERY == 0:
        found.memory = max(found.memory, pss(os.getpid()) / MIB)


def row(name: str, found: Measured) -> None:
    """One line of the table."""
    print(f"  {name:<12}{len(found.verdicts):>12}{found.start:>10.1f}{found.seconds:>10.1f}"
          f"{found.each:>10.1f}{found.memory:>10.0f}", flush=True)  # fmt: skip


def main() -> int:
    """Exit 1 if a submission was lost, or a verdict differs from the one without a cluster."""
    options = _parser().parse_args()
    few = min(options.few, options.count)
    print(f"ex09, --no-diagnosis, {options.workers} judges")
    print(f"  {'':<12}{'submissions':>12}{'s start':>10}{'s':>10}{'ms each':>10}{'MiB here':>10}")
    here = measured(lambda: JudgePool(OPTIONS, options.workers), few)
    row("pool", here)
    there = measured(lambda: Cluster(OPTIONS, options.address, options.workers), options.count)
    row("cluster", there)
    print(f"  one more submission costs {there.each / here.each:.2f} times as much on the cluster")
    same = all(there.verdicts.get(student) == each for student, each in here.verdicts.items())
    whole = len(there.verdicts) == options.count and not there.problems
    print(f"  {'the same verdicts' if same else 'DIFFERENT VERDICTS'}, {there.problems} lost")
    return 0 if same and whole else 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description="What a cluster adds to the cost of grading.")
    parser.add_argument("count", type=int, nargs="?", default=COUNT)
    parser.add_argument("--few", type=int, default=FEW, help="submissions without a cluster")
    parser.add_argument("--workers", type=int, default=WORKERS)
    parser.add_argument("--address", default=LOCAL, help="of a scheduler that runs")
    return parser


if __name__ == "__main__":
    sys.exit(main())
