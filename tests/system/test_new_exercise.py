"""A new exercise in a copy of the kata: made, checked, graded, hinted at, printed and exhibited."""

import csv
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pypdf
import pytest

from kata.course.curriculum import ROOT
from tests.helpers.learner_folder import Run
from tests.helpers.sampling import everything, release, sample

SLUG = "ex29_unit_range"
ENTRY, CAPTIONS = "exercises/curriculum.toml", "kata/handouts/figures/texts.toml"
FIGURE, SHEET = f"kata/handouts/figures/{SLUG}.py", f"kata/handouts/texts/{SLUG}.toml"
OPTIONAL = (FIGURE, SHEET)
WRITTEN = (f"solutions/{SLUG}.py", f"exercises/{SLUG}.py", f"tests/graded/test_{SLUG}.py",
           f"bugs/{SLUG}.toml", *OPTIONAL)  # fmt: skip
IGNORED = ("__pycache__", ".*", "specimens", "system", "long", "*.egg-info")

HEAD = '''\
"""Exercise 19: rows between 0 and 1, in NumPy."""

import numpy as np


def unit_range(x: np.ndarray) -> np.ndarray:
'''
SENTENCE = 'The contract: "Stretch each row so that its smallest number becomes 0"'
QUOTED = HEAD.replace('in NumPy."""', f'in NumPy.\n\n{SENTENCE}\n"""')
DOCSTRING = '''\
    """Stretch each row so that its smallest number becomes 0 and its largest 1.

    Args:
        x: (..., E), with two different numbers in each row. It is not changed.

    Returns:
        (..., E), a new array.

    >>> unit_range(np.array([2.0, 3.0, 6.0])).tolist()
    [0.0, 0.25, 1.0]
    """
'''
BODY = """\
    low = x.min(axis=-1, keepdims=True)
    high = x.max(axis=-1, keepdims=True)
    return (x - low) / (high - low)
"""
SUITE = '''\
"""What a unit range is; the expected values are worked by hand."""

from kata.judging.claims import equal
from kata.judging.inputs import given

# The idea


def test_three_numbers_worked_by_hand(submission):
    """Of 2, 3 and 6 the first becomes 0 and the last 1; 3 is a quarter of the way."""
    equal(submission.unit_range(given([2.0, 3.0, 6.0])), [0.0, 0.25, 1.0])


# The fine print


def test_each_row_by_itself(submission):
    """Every row has a smallest and a largest number of its own."""
    rows = given([[2.0, 3.0, 6.0], [9.0, 1.0, 3.0]])
    equal(submission.unit_range(rows), [[0.0, 0.25, 1.0], [1.0, 0.0, 0.25]])
'''
BY_HAND, ROWS = "test_three_numbers_worked_by_hand", "test_each_row_by_itself"
CHANGES = (
    ("not-moved", BY_HAND, "(x - low)", "x"),
    ("moved-up", BY_HAND, "(x - low)", "(x + low)"),
    ("reversed", BY_HAND, "(x - low)", "(high - x)"),
    ("squared", BY_HAND, "(x - low)", "(x - low) ** 2"),
    ("doubled", BY_HAND, "(x - low)", "2 * (x - low)"),
    ("not-divided", BY_HAND, " / (high - low)", ""),
    ("by-the-largest", BY_HAND, "(high - low)", "high"),
    ("by-the-smallest", BY_HAND, "(high - low)", "low"),
    ("by-the-sum", BY_HAND, "(high - low)", "(high + low)"),
    ("mean-for-smallest", BY_HAND, "x.min", "x.mean"),
    ("mean-for-largest", BY_HAND, "x.max", "x.mean"),
    ("smallest-of-columns", ROWS, "min(axis=-1", "min(axis=0"),
    ("largest-of-columns", ROWS, "max(axis=-1", "max(axis=0"),
)
BUG = """
[[bug]]
slug = "{0}"
title = "the mistake called {0}"
claim = "{1}"
change = [["{2}", "{3}"]]
seen_in = ["reproduced"]
symptom = "The numbers of {0}."
why = "It is {0}."
hints = ["Look at {0}.", "Look again.", "Look at the line of {0}."]
invisible_when = "nothing is compared"
"""
LEAST = "low = x.min(axis=-1, keepdims=True)"
RIGHT = {
    "ptp": f"{LEAST}; return (x - low) / np.ptp(x, axis=-1, keepdims=True)",
    "in_place": f"{LEAST}; y = x - low; y /= y.max(axis=-1, keepdims=True); return y",
    "sorted": "s = np.sort(x); return (x - s[..., :1]) / (s[..., -1:] - s[..., :1])",
    "reduced": "low = np.minimum.reduce(x, axis=-1, keepdims=True); "
    "return (x - low) / (np.maximum.reduce(x, axis=-1, keepdims=True) - low)",
    "row_by_row": "return np.apply_along_axis("
    "lambda row: (row - min(row)) / (max(row) - min(row)), -1, x)",
    "negated": "high = -(-x).min(axis=-1, keepdims=True); y = high - x; "
    "return 1 - y / y.max(axis=-1, keepdims=True)",
}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A copy of the kata, whose core is empty, so that what is built of the core is built soon."""
    for name in ("kata", "exercises", "solutions", "bugs", "tests", "docs"):
        ignored = shutil.ignore_patterns(*IGNORED)
        shutil.copytree(ROOT / name, tmp_path / name, ignore=ignored)
    shutil.copy(ROOT / "grader.py", tmp_path)
    change(tmp_path / ENTRY, "core = true", "core = false")
    return tmp_path


def run(home: Path, *words: str) -> Run:
    """`python WORDS`, of this copy."""
    process = subprocess.run(
        [sys.executable, *words],
        cwd=home,
        env={**os.environ, "PYTHONPATH": str(home), "COLUMNS": "80", "PYTHONIOENCODING": "utf-8"},
        capture_output=True,
        encoding="utf-8",
        stdin=subprocess.DEVNULL,
        check=False,
    )
    assert "Traceback" not in process.stdout + process.stderr
    return Run(process.returncode, process.stdout, process.stderr)


def kata(home: Path, *words: str) -> str:
    """What a command says that does what it should."""
    done = run(home, "-m", "kata", *words)
    assert done.status == 0, done.out + done.err
    return done.out


def new(home: Path) -> str:
    return kata(home, "new", SLUG, "--title", "Unit range", "--library", "numpy", "--core")


def change(path: Path, old: str, by: str) -> None:
    path.write_text(path.read_text(encoding="utf-8").replace(old, by), encoding="utf-8")


def fill_in(home: Path) -> None:
    """All that a maintainer writes into the skeletons."""
    (home / f"solutions/{SLUG}.py").write_text(HEAD + DOCSTRING + BODY)
    (home / f"tests/graded/test_{SLUG}.py").write_text(SUITE)
    (home / f"bugs/{SLUG}.toml").write_text("".join(BUG.format(*each) for each in CHANGES))
    for name, body in RIGHT.items():
        (home / f"tests/accepted/{SLUG}/{name}.py").write_text(f"{QUOTED}    {body}\n")
    change(home / ENTRY, "TODO: library functions and classes that do this; none: []", "MinMax*")
    for name in (ENTRY, CAPTIONS, FIGURE, SHEET):
        change(home / name, "TODO: ", "")
    kata(home, "reset", "ex29")


@pytest.mark.parametrize("library", sample(["torch", "numpy"]))
def test_a_skeleton_can_be_imported_and_says_what_to_write(home: Path, library: str) -> None:
    said = kata(home, "new", SLUG, "--library", library, "--needs", "1")

    checked = run(home, "-m", "kata", "check", "ex29")

    assert all(f"{name}\n" in said for name in (*WRITTEN, f"tests/accepted/{SLUG}", ENTRY))
    assert checked.status == 1
    unfinished = [*WRITTEN[:1], *WRITTEN[2:], ENTRY, CAPTIONS]  # a stub is made of its solution
    assert all(f"nothing says todo: {name} says TODO" in checked.out for name in unfinished)
    assert "1 of at least 12 bugs" in checked.out
    assert "cannot be used" not in checked.out


def test_the_skeletons_are_clean(home: Path) -> None:
    new(home)
    kata(home, "new", "ex30_other_range")
    shutil.copy(ROOT / "pyproject.toml", home)
    written = [name.replace(SLUG, slug) for slug in (SLUG, "ex30_other_range")
               for name in WRITTEN if name.endswith(".py")]  # fmt: skip

    for words in (("check",), ("format", "--check")):
        done = run(home, "-m", "ruff", *words, *written)
        assert done.status == 0, done.out + done.err


def test_nothing_is_overwritten(home: Path) -> None:
    mine = home / f"bugs/{SLUG}.toml"
    mine.write_text("# mine")
    before = sorted(home.rglob("*"))

    taken = run(home, "-m", "kata", "new", SLUG)
    other = run(home, "-m", "kata", "new", "ex18_unit_range")
    wrong = run(home, "-m", "kata", "new", "ex29_Lambda")

    assert f"bugs/{SLUG}.toml is there already; nothing was written" in taken.err
    assert "there is an exercise ex18 already: ex18_training_run" in other.err
    assert "ex29_Lambda cannot name an exercise" in wrong.err
    assert [each.status for each in (taken, other, wrong)] == [2, 2, 2]
    assert mine.read_text() == "# mine"
    assert [each for each in sorted(home.rglob("*")) if "__pycache__" not in each.parts] == before


@release
def test_an_exercise_that_is_filled_in_is_like_any_other(home: Path) -> None:
    new(home)
    fill_in(home)

    assert re.search(r"^all \d+ gates hold$", kata(home, "check", "ex29"), re.MULTILINE)
    if everything():  # at every push, an exercise of a course of one's own is graded
        assert_graded(home)
    assert_hinted(home)
    kata(home, "handouts", "--core")
    kata(home, "handouts", "--core", "--html", "--out", "site")

    assert "On paper" in pdf(home / f"handouts/sheets/{SLUG}.pdf")
    assert "Questions to ask" in pdf(home / "handouts/book.pdf")
    assert f"figures/{SLUG}.svg" in page(home)
    assert (home / f"site/bugs/{SLUG}/by-the-sum.html").exists()


def assert_graded(home: Path) -> None:
    """One who is right, and one with a mistake that the grader names, which costs half."""
    wrong = BODY.replace("(high - low)", "high")
    for name, body in {"ada": BODY, "ben": wrong}.items():
        (home / "class" / name).mkdir(parents=True)
        (home / "class" / name / f"{SLUG}.py").write_text(f"{HEAD}{body}# {name}\n")

    done = run(home, "grader.py", "class", "--only", "ex29", "--workers", "1", "--trusted")

    table = (home / "grades" / "grades.csv").read_text(encoding="utf-8-sig")
    rows = {row["student"]: row for row in csv.DictReader(table.splitlines())}
    assert done.status == 0, done.out + done.err
    assert [rows[name][SLUG] for name in ("ada", "ben")] == ["1", "0.5"]
    assert rows["ben"]["mistakes"] == "ex29: the mistake called by-the-largest"


def assert_hinted(home: Path) -> None:
    """About the function before anything is written, and about a mistake that is known."""
    mine = home / "mine"
    mine.mkdir()
    shutil.copy(home / f"exercises/{SLUG}.py", mine)
    assert "a first question" in kata(home, "hint", "ex29", "--folder", "mine")

    (mine / f"{SLUG}.py").write_text(HEAD + BODY.replace("x.max", "x.mean"))
    assert "Look at mean-for-largest." in kata(home, "hint", "ex29", "--folder", "mine")


def pdf(path: Path) -> str:
    """Its text in one line."""
    pages = (each.extract_text() for each in pypdf.PdfReader(path).pages)
    return " ".join(" ".join(pages).split())


def page(home: Path) -> str:
    return (home / f"site/exercises/{SLUG}.html").read_text(encoding="utf-8")
