"""A class, graded by the real thing: every mark as computed beforehand.

Before a release, it is a large one.
"""

import csv
import json
import os
import signal
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import pytest

from kata.course.curriculum import ROOT, exercises
from tests.helpers.classroom import Pupil, classroom, due, pack
from tests.helpers.grader import grader
from tests.helpers.processes import children
from tests.helpers.sampling import everything, release

WHOLE = everything()
SIZE, SEED = 80 if WHOLE else 10, 31
ATTACKS = ROOT / "tests" / "specimens" / "attacks"
ATTACKED, HONEST = "ex01_softmax", "ex07_heads"
KILLED = 10 if WHOLE else 2  # processes in one run
NAMELESS = "--no-diagnosis"
RESULTS = ("grades.csv", "results.json")


@dataclass(frozen=True)
class School:
    """A class, and where it lies; of what the hostile ones hand in, that which is honest."""

    folder: Path
    pupils: list[Pupil]
    hostile: list[Pupil]

    @property
    def everybody(self) -> list[Pupil]:
        return [*self.pupils, *self.hostile]


@dataclass(frozen=True)
class Grades:
    """What one run, or several, have left."""

    folder: Path

    @property
    def results(self) -> list[bytes]:
        return [(self.folder / each).read_bytes() for each in RESULTS]

    def honest(self, school: School) -> list[bytes]:
        """All lines but those about hostile code, which does things by chance: it has threads."""
        lines = [line for each in self.results for line in each.splitlines()]
        hostile = [each.name.encode() for each in school.hostile]
        return [line for line in lines if not any(name in line for name in hostile)]

    @property
    def marks(self) -> dict[str, list[str]]:
        columns = ("score", *exercises())
        return {name: [row[each] for each in columns] for name, row in self.rows.items()}

    @property
    def rows(self) -> dict[str, dict[str, str]]:
        with (self.folder / RESULTS[0]).open(encoding="utf-8-sig", newline="") as file:
            return {row["student"]: row for row in csv.DictReader(file)}

    @property
    def graded(self) -> list[str]:
        """Everybody for whom there is a line in the journal, in the order in which they came."""
        with suppress(FileNotFoundError):
            lines = (self.folder / "journal.jsonl").read_bytes().splitlines(keepends=True)
            whole = [json.loads(each) for each in lines if each.endswith(b"\n")]
            return [each["verdict"]["student"] for each in whole]
        return []


def start(
    submissions: Path, grades: Path, *options: str, workers: int = 1
) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "grader.py", submissions, "--grades", grades, "--seed", str(SEED),
         "--workers", str(workers), *options],
        cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
    )  # fmt: skip


def run(submissions: Path, grades: Path, *options: str, workers: int = 1) -> Grades:
    process = start(submissions, grades, *options, workers=workers)
    errors = process.communicate()[1]
    assert process.returncode == 0, errors.decode()
    return Grades(grades)


@pytest.fixture(scope="module")
def school(tmp_path_factory: pytest.TempPathFactory) -> School:
    folder = tmp_path_factory.mktemp("class")
    hostile = [*attackers(folder)]
    count = SIZE - len(hostile)
    pupils = classroom(folder, count, SEED, most=3 if WHOLE else 2, variety=3, copied=0.75)
    return School(folder, pupils, hostile)


def attackers(folder: Path) -> Iterator[Pupil]:
    """Attacks of which no claim holds, some of them, beside a right answer that counts."""
    outcomes = tomllib.loads((ATTACKS / "outcomes.toml").read_text(encoding="utf-8"))
    names = [name for name, outcome in outcomes.items() if is_lost(outcome)]
    for number, name in enumerate(names[:: 3 if WHOLE else 17]):
        attack = (ATTACKS / f"{name}.py").read_bytes()
        files = {HONEST: exercises()[HONEST].solution.read_bytes()}
        student = name.replace("_", " ")  # some archives have the student's name before a `_`
        pack(folder, Pupil(student, {**files, ATTACKED: attack}), number)
        yield Pupil(student, files)


def is_lost(outcome: dict[str, Any]) -> bool:
    """Whether it gains nothing, in a moment, with one file."""
    plain = not {"also", "open", "ends"} & outcome.keys() and "timed out" not in outcome["state"]
    return plain and outcome["honest"] == 0 and outcome["exercises"] == ["ex01"]


@pytest.fixture(scope="module")
def undisturbed(school: School, tmp_path_factory: pytest.TempPathFactory) -> Grades:
    """In this process, which is said in another test to be no other way."""
    home = tmp_path_factory.mktemp("grades")
    words = (str(school.folder), "--seed", str(SEED), NAMELESS)
    assert grader(home, *words).status == 0
    return Grades(home / "grades")


def test_every_mark_is_as_computed_beforehand(school: School, undisturbed: Grades) -> None:
    rows = undisturbed.rows
    marks = {name: {slug: float(row[slug]) for slug in exercises()} for name, row in rows.items()}

    assert len(school.hostile) >= SIZE // 12
    assert marks == due(school.everybody, SEED)
    for name, row in rows.items():
        assert float(row["score"]) == pytest.approx(sum(marks[name].values()), abs=1e-4)
    assert {rows[each.name]["status"] for each in school.pupils} == {"graded"}
    assert "tampered" in {rows[each.name]["status"] for each in school.hostile}


def test_the_same_content_is_graded_once(school: School, undisturbed: Grades) -> None:
    """The time that it took is that of one grading, for all who have handed it in."""
    timings = json.loads((undisturbed.folder / "timings.json").read_bytes())["seconds"]
    seconds = {each["student"]: each["total"] for each in timings}
    contents: dict[str, set[float]] = {}
    for pupil in school.pupils:
        contents.setdefault(repr(pupil.files), set()).add(seconds[pupil.name])

    assert len(contents) < SIZE * 2 // 3
    assert all(len(each - {0.0}) <= 1 for each in contents.values())


@release
def test_what_dies_changes_nothing(school: School, undisturbed: Grades, tmp_path: Path) -> None:
    process = start(school.folder, tmp_path, NAMELESS, workers=2)
    with ending(process):
        killed = [*kill(process, Grades(tmp_path), Random(SEED))]

    assert process.returncode == 0
    assert len(killed) == KILLED
    assert Grades(tmp_path).honest(school) == undisturbed.honest(school)
    assert Grades(tmp_path).marks == undisturbed.marks


# -- what ends processes


def wait_for(process: subprocess.Popen[bytes], grades: Grades, count: int) -> None:
    while len(grades.graded) < count and process.poll() is None:
        time.sleep(0.1)


@contextmanager
def ending(process: subprocess.Popen[bytes]) -> Iterator[None]:
    """See to its end, whatever happens."""
    try:
        yield
        process.communicate(timeout=120)
    finally:
        process.kill()
        process.communicate()


def kill(process: subprocess.Popen[bytes], grades: Grades, random: Random) -> Iterator[int]:
    """End judges, the processes that run submissions, and those of which these are forks."""
    for number in range(KILLED):
        wait_for(process, grades, 1 + number * SIZE // (2 * KILLED))  # all before half time
        while found := at_work(process):
            victim = random.choice(
                found[1:]
            )  # what follows the first one's end is tested elsewhere
            with suppress(ProcessLookupError):  # it has ended by itself: another one is chosen
                os.kill(victim, signal.SIGKILL)
                yield victim
                break


def at_work(process: subprocess.Popen[bytes]) -> list[int]:
    """The first judge with everything that it has started; nothing once the run is over."""
    while process.poll() is None:
        for judge in children(process.pid):
            line = [judge]
            for each in line:
                line += children(each)
            if sum(map(is_python, line)) > 2:  # the judge, a warm process, a fork of it
                return line
    return []


def is_python(process: int) -> bool:
    """Whether it is none of the walls around the others."""
    with suppress(OSError):
        return Path(f"/proc/{process}/cmdline").read_bytes().startswith(sys.executable.encode())
    return False
