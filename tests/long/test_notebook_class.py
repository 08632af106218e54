"""A class in which a third hands in notebooks: the same code gets the same marks."""

import ast
import csv
import json
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import pytest

from kata.course.curriculum import ROOT, exercises
from kata.course.names_in_code import effects
from tests.helpers.classroom import Pupil, classroom, pack

SIZE, SEED = 60, 16
NOISE = ("%matplotlib inline", "!pip list", "print('hello')", "1 + 1", "def broken(:", "%%bash\nls",
         "import random\nshown = random.random()", "# a remark", "")  # fmt: skip
ATTACK = "import os\nos.system('true')\n"
PACKED = ("{name}/{file}", "{name}_{number}_9{number}_{file}", "{name}/homework/{file}")


@dataclass(frozen=True)
class Run:
    """What the grader wrote about a class."""

    folder: Path

    @property
    def rows(self) -> dict[str, dict[str, str]]:
        with (self.folder / "grades.csv").open(encoding="utf-8-sig", newline="") as file:
            return {row["student"]: row for row in csv.DictReader(file)}

    @property
    def claims(self) -> dict[str, dict[str, list[tuple[str, str]]]]:
        """Of each student and exercise the state of every claim."""
        found = json.loads((self.folder / "results.json").read_bytes())
        return {
            student["student"]: {
                each["slug"]: [(claim["name"], claim["state"]) for claim in each["claims"]]
                for each in student["exercises"]
            }
            for student in found["submissions"]
        }


def graded(submissions: Path, grades: Path, *options: str) -> Run:
    done = subprocess.run(
        [sys.executable, "grader.py", submissions, "--grades", grades, "--seed", str(SEED),
         "--workers", "2", *options],
        cwd=ROOT, check=False, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return Run(grades)


def written(path: Path, cells: list[str]) -> None:
    code = [{"cell_type": "code", "source": each.splitlines(keepends=True), "metadata": {},
             "outputs": [], "execution_count": None} for each in cells]  # fmt: skip
    told = {"kernelspec": {"name": "python3", "language": "python", "display_name": "Python 3"}}
    found = {"nbformat": 4, "nbformat_minor": 5, "metadata": told, "cells": code}
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(found), encoding="utf-8")


def in_cells(text: str, random: Random) -> Iterator[str]:
    """A file cut where two blank lines are, as people write cells, with noise in between."""
    for part in text.split("\n\n\n"):
        yield random.choice(NOISE)
        yield part


def hand_in(folder: Path, pupil: Pupil, number: int, random: Random) -> None:
    """A notebook for each exercise, or one for all of them."""
    where = PACKED[number % len(PACKED)]
    cells = {slug: [*in_cells(text.decode(), random)] for slug, text in pupil.files.items()}
    books: Mapping[str, list[str]] = cells
    if number % 2 and _can_be_one(pupil):
        books = {"homework": [each for slug in exercises() for each in cells.get(slug, [])]}
    for name, each in books.items():
        place = where.format(name=pupil.name, number=1000 + number, file=f"{name}.ipynb")
        written(folder / place, each)
    if where.startswith("{name}/") and number % 4 == 0:
        shutil.make_archive(str(folder / pupil.name), "zip", folder / pupil.name)
        shutil.rmtree(folder / pupil.name)


def _can_be_one(pupil: Pupil) -> bool:
    """One notebook has one set of names, and files have one each: helpers may be called alike.

    A file that nothing was written in could not be told from one that was not handed in.
    """
    stubs = any(text == exercises()[slug].stub.read_bytes() for slug, text in pupil.files.items())
    names = Counter(name for text in pupil.files.values() for name in {*_defined(text)})
    return not stubs and max(names.values()) == 1


def _defined(text: bytes) -> Iterator[str]:
    for node in ast.parse(text).body:
        if not isinstance(node, ast.Import | ast.ImportFrom):
            yield from effects(node).binds


@pytest.fixture(scope="module")
def pupils(tmp_path_factory: pytest.TempPathFactory) -> list[Pupil]:
    folder = tmp_path_factory.mktemp("pupils")
    return classroom(folder, SIZE, SEED, most=4, variety=6)


@pytest.fixture(scope="module")
def as_files(pupils: list[Pupil], tmp_path_factory: pytest.TempPathFactory) -> Run:
    home = tmp_path_factory.mktemp("files")
    for number, pupil in enumerate(pupils):
        pack(home / "class", pupil, number)
    return graded(home / "class", home / "grades", "--no-diagnosis")


@pytest.fixture(scope="module")
def mixed(pupils: list[Pupil], tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Every third hands in notebooks."""
    home, random = tmp_path_factory.mktemp("mixed"), Random(SEED)
    for number, pupil in enumerate(pupils):
        if number % 3:
            pack(home / "class", pupil, number)
        else:
            hand_in(home / "class", pupil, number // 3, random)
    return graded(home / "class", home / "grades", "--no-diagnosis")


def test_the_same_code_gets_the_same_marks_claim_by_claim(as_files: Run, mixed: Run) -> None:
    marks = [*exercises(), "score", "status"]

    assert mixed.rows.keys() == as_files.rows.keys()
    for name, row in as_files.rows.items():
        assert [mixed.rows[name][each] for each in marks] == [row[each] for each in marks], name
    assert mixed.claims == as_files.claims


def test_a_third_of_them_were_notebooks(pupils: list[Pupil], mixed: Run) -> None:
    rows = [mixed.rows[each.name] for each in pupils[::3]]

    assert len(rows) == SIZE // 3
    assert sum(float(each["score"]) for each in rows) > 0
    assert any("homework.ipynb counts for ex" in each["notes"] and ", ex" in each["notes"]
               for each in rows)  # fmt: skip


# -- what messages say, and what is hostile


@pytest.fixture(scope="module")
def odd(tmp_path_factory: pytest.TempPathFactory) -> Run:
    home = tmp_path_factory.mktemp("odd")
    right = exercises()["ex04_scaled_attention"].solution.read_text(encoding="utf-8")
    softmax = "import numpy as np\n\ndef softmax(scores, axis=-1):\n"
    for name, cells in {
        "beside": [ATTACK, right],
        "needed": ["import os\nWIDTH = os.system('true')", f"{softmax}    return scores * WIDTH"],
        "raises": ["print(1)", f"{softmax}\n    return scores / undefined\n"],
        "flagged": ["x = 1", "import torch\n\ndef softmax(scores, axis=-1):\n"
                             "    given = torch.tensor(scores)\n"
                             "    return torch.softmax(given, axis).numpy()\n"],
        "gc": ["1", f"{softmax}    import gc\n    return gc.get_objects()\n"],
    }.items():  # fmt: skip
        written(home / "class" / name / "hw.ipynb", cells)
    return graded(home / "class", home / "grades", "--report", "feedback")


def test_a_hostile_cell_that_nothing_needs_is_not_taken(odd: Run) -> None:
    row = odd.rows["beside"]

    assert row["status"] == "graded"
    assert float(row["ex04_scaled_attention"]) == exercises()["ex04_scaled_attention"].points


def test_a_hostile_cell_that_a_function_needs_meets_the_sandbox(odd: Run) -> None:
    row = odd.rows["needed"]

    assert float(row["ex01_softmax"]) == 0
    assert row["status"] == "tampered"
    assert "tried os.system" in row["flags"]


def test_messages_name_the_cell_and_its_line(odd: Run) -> None:
    page = (odd.folder / "feedback" / "raises.md").read_text(encoding="utf-8")

    assert "hw.ipynb, code cell 2, line 5, in softmax" in page
    assert "return scores / undefined" in page
    assert "ex01_softmax.py:" not in page


def test_flags_name_the_cell_and_its_line(odd: Run) -> None:
    assert "code cell 2, line 5" in odd.rows["flagged"]["flags"]
    assert "code cell 2, line 4; code cell 2, line 5" in odd.rows["gc"]["flags"]


def test_no_report_speaks_of_a_line_in_a_file(odd: Run) -> None:
    found: dict[str, Any] = json.loads((odd.folder / "results.json").read_bytes())

    assert "ex01_softmax.py:" not in json.dumps(found)
