"""What grading a class costs: `python -m benchmarks.grader [--full]`.

The same submissions on the same cores, in one run: a pytest process for each, all in one session of
pytest-xdist, the grader with and without diagnosis, and, as a lower bound, the suites alone in a
process that has everything imported. Then how long the first verdict takes, and how the grader's
time and memory grow with the class. The cost per submission is the slope between classes of two
sizes, which leaves out start-up. `--course 1000` also grades a class of that size that hands in
everything.
"""

import argparse
import csv
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import count as numbers
from itertools import cycle, islice
from pathlib import Path
from random import Random
from typing import Any

from kata.course.curriculum import ROOT, Exercise, exercises
from kata.course.target import Target
from kata.grading.cli import cores
from kata.grading.journal import JOURNAL
from kata.judging.judge import import_torch, judge
from tests.helpers.classroom import answers
from tests.helpers.processes import command, descendants

EX09 = "ex09_multi_head_attention"
PYTEST = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
GRADER = [sys.executable, str(ROOT / "grader.py")]
SEED = "1"
FLOOR_LIMIT, GROWTH_LIMIT, MEMORY_LIMIT = 1.6, 1.1, 1.1
START_LIMIT, COURSE_LIMIT = 2.2, 0.36  # times the import of torch; seconds for a submission
DIAGNOSIS_LIMIT = 1.15  # times the run without it
PAUSE = 0.1  # seconds between two measurements of memory
MIB = 1024  # KiB
ROLES = ("parent", "judges", "workers")
SIZES = (  # of classes: those for a quick run, and with --full
    ("--ex09", [6, 30], [20, 100]),
    ("--all", [2, 4], [10, 40]),
    ("--growth", [6, 18, 42], [20, 100, 1000]),
)
Submission = Mapping[str, bytes]


@dataclass(frozen=True)
class Kind:
    """Submissions of the same exercises, and how large the classes are that hand them in."""

    name: str
    slugs: tuple[str, ...]
    sizes: tuple[int, ...]  # of two classes; pytest judges the smaller one
    goal: float  # how many times faster than a pytest process for each

    def submissions(self) -> Iterator[Submission]:
        """An endless series, alternately right and wrong; no two are equal."""
        answers = {slug: right_and_wrong(exercises()[slug]) for slug in self.slugs}
        for number in numbers():
            mark = f"\n# {number}\n".encode()
            yield {slug: next(texts) + mark for slug, texts in answers.items()}

    def write(self, home: Path, size: int) -> Path:
        """A class of this size; a smaller class is the beginning of a larger one."""
        folder = home / f"{self.name}-{size}"
        if folder.exists():
            return folder
        for number, submission in enumerate(islice(self.submissions(), size)):
            (folder / f"s{number:04}").mkdir(parents=True)
            for slug, text in submission.items():
                (folder / f"s{number:04}" / f"{slug}.py").write_bytes(text)
        return folder


def right_and_wrong(exercise: Exercise) -> Iterator[bytes]:
    """An endless series of answers, alternately right and wrong; all wrong ones, then again."""
    known, random = answers(exercise), Random(exercise.slug)
    right, wrong = (random.sample(known[kind], len(known[kind])) for kind in ("right", "wrong"))
    for pair in zip(cycle(right), cycle(wrong), strict=False):
        yield from pair


# -- four ways to judge a class


def floor(kind: Kind) -> float:
    """Seconds for the suites alone, in this process, after imports and warm-up."""
    submissions = [*islice(kind.submissions(), kind.sizes[0])]
    _judge(kind, submissions[0])
    start = time.perf_counter()
    for files in submissions:
        _judge(kind, files)
    return time.perf_counter() - start


def _judge(kind: Kind, files: Submission) -> None:
    for slug in kind.slugs:
        judge(exercises()[slug], Target(Path("theirs"), files))


def processes(folder: Path) -> float:
    """Seconds for a pytest process for each submission, as many at a time as there are cores."""
    waiting = sorted(folder.iterdir(), reverse=True)
    start, running = time.perf_counter(), list[subprocess.Popen[bytes]]()
    while waiting or running:
        while waiting and len(running) < cores():
            running.append(started([*PYTEST, str(waiting.pop())]))
        time.sleep(0.005)
        running = [each for each in running if each.poll() is None]
    return time.perf_counter() - start


def session(folder: Path) -> float:
    """Seconds for all of them in one session of pytest-xdist."""
    folders = [str(each) for each in sorted(folder.iterdir())]
    start = time.perf_counter()
    started([*PYTEST, "-n", str(cores()), *folders]).wait()
    return time.perf_counter() - start


def started(command: list[str]) -> subprocess.Popen[bytes]:
    """A running command, whose output is dropped."""
    silent = subprocess.DEVNULL
    return subprocess.Popen(command, cwd=ROOT, stdout=silent, stderr=silent)


@dataclass
class Graded:
    """What a run of the grader took: seconds, and peak MiB of each kind of process."""

    seconds: float = 0.0
    memory: dict[str, float] = field(default_factory=dict)


def graded(folder: Path, *options: str) -> Graded:
    """Let the grader grade a class."""
    with tempfile.TemporaryDirectory() as grades:
        found, start = Graded(), time.perf_counter()
        words = [*GRADER, str(folder), "--grades", grades, "--seed", SEED, *options]
        process = started(words)
        watcher = threading.Thread(target=watch, args=(process, found.memory))
        watcher.start()
        process.wait()
        found.seconds = time.perf_counter() - start
        watcher.join()
        check(Path(grades), folder)
    return found


def seconds(folder: Path, *options: str) -> float:
    """The seconds that the grader takes."""
    return graded(folder, *options).seconds


def check(grades: Path, folder: Path) -> None:
    """Check that everyone was graded: a run that grades nothing would be fast."""
    with (grades / "grades.csv").open(encoding="utf-8", newline="") as file:
        rows = [*csv.DictReader(file)]
    assert len(rows) == len([*folder.glob("s*")])
    assert all(row["status"] == "graded" for row in rows)


# -- start-up


def first_verdict(folder: Path) -> float:
    """Seconds until the first verdict is in the journal."""
    with tempfile.TemporaryDirectory() as grades:
        start = time.perf_counter()
        process = started([*GRADER, str(folder), "--grades", grades, "--seed", SEED])
        journal = Path(grades) / JOURNAL
        while not (journal.exists() and journal.stat().st_size):
            time.sleep(0.005)
        found = time.perf_counter() - start
        process.terminate()
        process.wait()
    return found


def import_of_torch() -> float:
    """Seconds for a Python that imports torch and does nothing else."""
    start = time.perf_counter()
    started([sys.executable, "-c", "import torch"]).wait()
    return time.perf_counter() - start


def starts(kinds: tuple[Kind, ...], home: Path, rounds: int) -> list[bool]:
    """How long the first verdict takes, against the import of torch."""
    alone = median(rounds, import_of_torch)
    print(f"\nfirst verdict; the import of torch takes {alone:.1f} s")
    return [
        goal(f"{each.name}: times the import of torch", first / alone, START_LIMIT)
        for each in kinds
        for first in [median(rounds, first_verdict, each.write(home, each.sizes[0]))]
    ]


# -- memory


def watch(process: "subprocess.Popen[bytes]", most: dict[str, float]) -> None:
    """Record the peak memory of each kind of process, until the grader exits."""
    while process.poll() is None:
        for name, size in used(process.pid).items():
            most[name] = max(most.get(name, 0.0), size)
        time.sleep(PAUSE)


def used(parent: int) -> dict[str, float]:
    """The memory in MiB of the grader, of its judges, and of the processes that run submissions."""
    below = descendants(parent)
    judges = [each for each in below if "judges.pool" in command(each)]
    workers = [each for each in below if "inside/worker.py" in command(each)]
    groups = zip(ROLES, ([parent], judges, workers), strict=True)
    return {role: sum(map(pss, group)) / MIB for role, group in groups}


def pss(process: int) -> int:
    """The proportional set size in KiB: its own memory, and its share of shared memory."""
    with suppress(OSError):
        for line in Path(f"/proc/{process}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1])
    return 0


# -- figures and tables


def median(rounds: int, measure: Callable[..., float], *arguments: Any) -> float:
    """The median of several measurements."""
    return statistics.median(measure(*arguments) for _ in range(rounds))


def slope(small: tuple[int, float], large: tuple[int, float]) -> tuple[float, float]:
    """Seconds per submission, and seconds for start-up, from classes of two sizes."""
    each = (large[1] - small[1]) / (large[0] - small[0])
    return each, small[1] - small[0] * each


def goal(what: str, got: float, limit: float, *, least: bool = False) -> bool:
    """Print one figure next to its goal."""
    held = got >= limit if least else got <= limit
    sign = "≥" if least else "≤"
    print(f"  {what:<52}{got:8.2f}   goal {sign} {limit:g}{'' if held else '   MISSED'}")
    return held


@dataclass(frozen=True)
class Table:
    """A table of all ways to judge one kind of class."""

    kind: Kind
    home: Path
    rounds: int

    def show(self) -> list[bool]:
        """Measure and print; returns which goals are met."""
        few, many = self.kind.sizes
        print(f"\n{self.kind.name}: {few} and {many} submissions, {cores()} cores")
        print(f"  {'':<30}{'ms each':>9}{'s start':>9}{'x bound':>9}{'x faster':>9}")
        bare = self.each(floor, self.kind) / cores()
        alone = self.each(processes, self.small)
        self.row("suites alone: the lower bound", (bare, 0), bare, alone)
        self.row("a pytest process for each", (alone, 0), bare, alone)
        self.row("one pytest-xdist for all", (self.each(session, self.small), 0), bare, alone)
        diagnosed, marked = self.grader(), self.grader("--no-diagnosis")
        self.row("grader.py", diagnosed, bare, alone)
        self.row("grader.py --no-diagnosis", marked, bare, alone)
        return self.goals(diagnosed[0], marked[0], bare, alone)

    def each(self, measure: Callable[..., float], *arguments: Any) -> float:
        """Seconds per submission of the small class, start-up included."""
        return median(self.rounds, measure, *arguments) / self.kind.sizes[0]

    def grader(self, *options: str) -> tuple[float, float]:
        """Seconds per submission, and seconds for start-up."""
        times = [median(self.rounds, seconds, each, *options) for each in (self.small, self.large)]
        small, large = zip(self.kind.sizes, times, strict=True)
        return slope(small, large)

    def row(self, what: str, cost: tuple[float, float], bare: float, alone: float) -> None:
        """Print one way to judge, compared with two others."""
        each, once = cost
        start = f"{once:9.1f}" if once else " " * 9
        print(f"  {what:<30}{each * 1000:9.0f}{start}{each / bare:9.2f}{alone / each:9.1f}")

    @property
    def small(self) -> Path:
        """The class for all ways to judge."""
        return self.kind.write(self.home, self.kind.sizes[0])

    @property
    def large(self) -> Path:
        """The larger class, for the grader only."""
        return self.kind.write(self.home, self.kind.sizes[1])

    def goals(self, diagnosed: float, marked: float, bare: float, alone: float) -> list[bool]:
        """Whether the grader meets its goals; the other ways have no diagnosis."""
        faster, slower = alone / marked, marked / bare
        return [
            goal("times as fast as a pytest process for each", faster, self.kind.goal, least=True),
            goal("times the cost of the suites alone", slower, FLOOR_LIMIT),
            goal("with diagnosis, times as long", diagnosed / marked, DIAGNOSIS_LIMIT),
        ]


def growth(kind: Kind, home: Path, counts: list[int]) -> list[bool]:
    """How time and memory grow with the class, in which all submissions are different."""
    print(f"\n{kind.name}, --no-diagnosis: peak memory in MiB (PSS)")
    print(f"  {'submissions':>12}{'s':>9}{'parent':>9}{'judges':>9}{'workers':>9}")
    runs = {}
    for count in counts:
        run = runs[count] = graded(kind.write(home, count), "--no-diagnosis")
        used = "".join(f"{run.memory.get(each, 0):9.0f}" for each in ROLES)
        print(f"  {count:>12}{run.seconds:9.1f}{used}")
    return growth_goals(runs)


def course(kind: Kind, home: Path, count: int) -> list[bool]:
    """A large class that hands in everything."""
    if not count:
        return []
    run = graded(kind.write(home, count), "--no-diagnosis")
    memory = ", ".join(f"{name} {size:.0f}" for name, size in run.memory.items())
    print(f"\n{kind.name}, {count} submissions: {run.seconds:.0f} s; peak MiB (PSS): {memory}")
    return [goal("seconds for a submission", run.seconds / count, COURSE_LIMIT)]


def growth_goals(runs: Mapping[int, Graded]) -> list[bool]:
    """Whether time is linear and the parent's memory constant, from classes of three sizes."""
    small, middle, large = ((count, run.seconds) for count, run in runs.items())
    parents = [run.memory["parent"] for run in runs.values()]
    time_growth = slope(middle, large)[0] / slope(small, middle)[0]
    return [
        goal("seconds per submission, large class / small class", time_growth, GROWTH_LIMIT),
        goal("memory of the parent, large / small class", parents[-1] / parents[0], MEMORY_LIMIT),
    ]


def main() -> int:
    """Exit 1 if a goal is missed."""
    options = _parser().parse_args()
    short = Kind("ex09", (EX09,), tuple(options.ex09), 25.0)
    long = Kind("all-eighteen", tuple(exercises()), tuple(options.all), 6.0)
    grown = replace(short, name="growth-ex09", sizes=tuple(options.growth[:2]))
    import_torch()
    with tempfile.TemporaryDirectory() as home:
        held = [fine for kind in (short, long)
                for fine in Table(kind, Path(home), options.rounds).show()]  # fmt: skip
        held += growth(grown, Path(home), options.growth)
        held += starts((short, long), Path(home), options.rounds)
        held += course(long, Path(home), options.course)
    return 0 if all(held) else 1


def _parser() -> argparse.ArgumentParser:
    full = "--full" in sys.argv
    parser = argparse.ArgumentParser(description="What grading a class costs.")
    parser.add_argument("--full", action="store_true", help="larger classes, several rounds")
    parser.add_argument("--rounds", type=int, default=3 if full else 1)
    parser.add_argument("--course", type=int, default=0, help="a class that hands in everything")
    for name, few, many in SIZES:
        parser.add_argument(name, type=int, nargs=len(few), default=many if full else few)
    return parser


if __name__ == "__main__":
    sys.exit(main())
