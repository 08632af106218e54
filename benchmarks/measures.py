"""How the timings measure: seconds, medians of calls in turn, classes of students, memory."""

import math
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from itertools import chain, count, cycle, islice
from pathlib import Path

from kata.course.catalogue import bugs, wrong_answer
from kata.course.curriculum import ROOT, exercises
from kata.grading.journal import JOURNAL

PYTEST = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]


@dataclass(frozen=True)
class Figure:
    """What was measured, and what it may be at most."""

    what: str
    value: float
    unit: str = "s"
    limit: float = math.inf

    def __str__(self) -> str:
        limit = f"   limit {self.limit:g}" if self.limit < math.inf else ""
        missed = "   MISSED" if self.value > self.limit else ""
        return f"{self.what:<62}{self.value:10.3f} {self.unit:<4}{limit}{missed}"


def seconds(call: Callable[[], object]) -> float:
    """Time a call by the clock."""
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def cpu(call: Callable[[], object]) -> float:
    """Time a call by the computing of this process and of all that it has waited for."""
    before = _computed()
    call()
    return _computed() - before


def _computed() -> float:
    usages = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def descendants_cpu(process: int | str = "self") -> float:
    """Return the CPU seconds of all processes below this one, and of theirs that have ended."""
    children = (
        path.read_text().split() for path in Path(f"/proc/{process}/task").glob("*/children")
    )
    return sum(_ticks(child) + descendants_cpu(child) for child in chain.from_iterable(children))


def _ticks(process: str) -> float:
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")


def medians(
    rounds: int, *calls: Callable[[], object], timer: Callable[..., float] = seconds
) -> list[float]:
    """Time the calls in turn, after one round that fills caches; the median of each."""
    times = [[timer(call) for call in calls] for _ in range(rounds + 1)]
    return [statistics.median(column) for column in zip(*times[1:], strict=True)]


def command(*words: str | Path, folder: Path = ROOT) -> Callable[[], object]:
    """A program whose output is dropped."""
    return partial(subprocess.run, words, cwd=folder, capture_output=True, check=False)


def submissions(slugs: Iterable[str]) -> Iterator[dict[str, bytes]]:
    """An endless series, alternately right and wrong; no two are equal."""
    texts = {slug: cycle(_right_and_wrong(slug)) for slug in slugs}
    for number in count():
        yield {slug: next(series) + f"\n# {number}\n".encode() for slug, series in texts.items()}


def _right_and_wrong(slug: str) -> Iterator[bytes]:
    exercise = exercises()[slug]
    for bug in bugs(exercise):
        yield exercise.solution.read_bytes()
        yield wrong_answer(exercise, bug).encode()


def write_class(folder: Path, slugs: Iterable[str], students: int) -> Path:
    """Write a class; a smaller one is the beginning of a larger one."""
    for number, files in enumerate(islice(submissions(slugs), students)):
        (folder / f"s{number:04}").mkdir(parents=True)
        for slug, text in files.items():
            (folder / f"s{number:04}" / f"{slug}.py").write_bytes(text)
    return folder


class Graded:
    """A run of the grader on a class: seconds, until the first verdict and in all; peak MiB."""

    def __init__(self, folder: Path, *options: str) -> None:
        self.first = self.peak = 0.0
        with tempfile.TemporaryDirectory() as grades:
            words = [str(ROOT / "grader.py"), str(folder), "--grades", grades, "--seed", "1"]
            silent, start = subprocess.DEVNULL, time.perf_counter()
            process = subprocess.Popen(
                [sys.executable, *words, *options], stdout=silent, stderr=silent
            )
            journal = Path(grades, JOURNAL)
            while process.poll() is None:
                if not self.first and journal.exists() and journal.stat().st_size:
                    self.first = time.perf_counter() - start
                self.peak = max(self.peak, resident(process.pid))
                time.sleep(0.01)
            self.seconds = time.perf_counter() - start
            # A run that grades nothing would be fast.
            table = Path(grades, "grades.csv").read_text()
            assert table.count(",graded,") == len([*folder.iterdir()])


def resident(process: int) -> float:
    """Return the MiB of memory that a process has; 0 if it has ended."""
    with suppress(OSError, ValueError, IndexError):
        return int(Path(f"/proc/{process}/statm").read_text().split()[1]) * 4096 / 2**20
    return 0.0
