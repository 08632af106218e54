"""What a learner waits for: `python benchmarks/learner.py [ROUNDS]`.

Ratios of whole commands, measured alternately in one run so that a busy machine slows both sides,
and the time that the suites themselves take on the solutions.
"""

import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from kata.course.curriculum import Exercise, exercises
from kata.course.target import reference
from kata.judging.judge import import_torch, judge, suite

PYTEST = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider"]
NO_PLUGIN = ["-p", "no:kata.plugin"]
EMPTY_LIMIT, COLD_LIMIT = 2.5, 1.35
ELSEWHERE_LIMIT = 0.01  # seconds
ALL_LIMIT, CORE_LIMIT, EX09_LIMIT, CLAIM_LIMIT = 0.6, 0.4, 0.06, 0.1  # seconds


def seconds(command: list[str], folder: Path) -> float:
    """The seconds that one run of a command takes."""
    start = time.perf_counter()
    subprocess.run(command, cwd=folder, capture_output=True, check=False)
    return time.perf_counter() - start


def compare(ours: list[str], theirs: list[str], folder: Path, rounds: int) -> tuple[float, float]:
    """Medians of two commands that run alternately, after one round that fills the disk cache."""
    pairs = [(seconds(ours, folder), seconds(theirs, folder)) for _ in range(rounds + 1)][1:]
    return statistics.median(a for a, _ in pairs), statistics.median(b for _, b in pairs)


def computed(command: list[str], folder: Path) -> float:
    """The seconds of CPU time that one run of a command takes."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, cwd=folder, capture_output=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def elsewhere(folder: Path, rounds: int) -> float:
    """What the plugin adds to another project's run: the median of paired differences."""
    command = [*PYTEST, "theirs"]
    pairs = [
        (computed(command, folder), computed([*command, *NO_PLUGIN], folder)) for _ in range(rounds)
    ]
    return statistics.median(mine - without for mine, without in pairs)


def folders(home: Path) -> None:
    """Make the folders of learners: nothing started, ex09 only, empty; and another project's."""
    for name in ("fresh", "ex09", "empty", "theirs"):
        (home / name).mkdir()
    (home / "theirs" / "test_one.py").write_text("def test_one():\n    assert True\n")
    for exercise in exercises().values():
        shutil.copy(exercise.stub, home / "fresh")
    shutil.copy(exercises()["ex09_multi_head_attention"].solution, home / "ex09")


def row(what: str, got: float, limit: float, unit: str, detail: str = "") -> bool:
    """Print one figure next to its goal."""
    held = got <= limit
    missed = "" if held else "MISSED"
    print(f"{what:<46}{got:>7.3f} {unit:<3} goal ≤ {limit} {unit:<3}{missed:<8}{detail}")
    return held


def ratios(rounds: int) -> list[bool]:
    """Print the ratios of whole commands."""
    with tempfile.TemporaryDirectory() as home:
        folders(Path(home))
        empty = [*PYTEST, *NO_PLUGIN, "empty"]
        fresh, nothing = compare([*PYTEST, "fresh"], empty, Path(home), rounds)
        imports = [sys.executable, "-c", "import torch, pytest"]
        cold, floor = compare([*PYTEST, "ex09"], imports, Path(home), rounds)
        added = elsewhere(Path(home), 4 * rounds)
    return [
        row("nothing started / an empty pytest run", fresh / nothing, EMPTY_LIMIT, "x",
            f"{fresh * 1000:.0f} ms / {nothing * 1000:.0f} ms"),
        row("ex09 cold / python -c 'import torch, pytest'", cold / floor, COLD_LIMIT, "x",
            f"{cold * 1000:.0f} ms / {floor * 1000:.0f} ms"),
        row("added to another project's pytest run", added, ELSEWHERE_LIMIT, "s"),
    ]  # fmt: skip


def suite_times(exercise: Exercise, rounds: int) -> tuple[float, float]:
    """Medians of a suite on the solution and of its slowest claim, after one run to warm up."""
    judge(exercise, reference())
    totals, slowest = [], []
    for _ in range(rounds):
        start = time.perf_counter()
        verdict = judge(exercise, reference())
        totals.append(time.perf_counter() - start)
        slowest.append(max(claim.seconds for claim in verdict.claims))
    return statistics.median(totals), statistics.median(slowest)


def suites(rounds: int) -> list[bool]:
    """Print the times of the suites on one core, after imports and warm-up."""
    import_torch()
    import torch

    torch.set_num_threads(1)
    times = {each.short: suite_times(each, rounds) for each in exercises().values() if suite(each)}
    for short, (total, slowest) in times.items():
        print(f"  {short}: {total * 1000:6.1f} ms, slowest claim {slowest * 1000:5.1f} ms")
    core = [each.short for each in exercises().values() if each.core]
    return [
        row("suite of ex09", times["ex09"][0], EX09_LIMIT, "s"),
        row("suites of the core", sum(times[short][0] for short in core), CORE_LIMIT, "s"),
        row("suites of all eighteen", sum(total for total, _ in times.values()), ALL_LIMIT, "s"),
        row("slowest claim", max(slowest for _, slowest in times.values()), CLAIM_LIMIT, "s"),
    ]


def main() -> int:
    """Exit 1 if a goal is missed."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 9
    os.environ.pop("PYTEST_ADDOPTS", None)
    return 0 if all([*ratios(rounds), *suites(rounds)]) else 1


if __name__ == "__main__":
    sys.exit(main())
