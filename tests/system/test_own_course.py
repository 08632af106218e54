"""An exercise of an instructor's own: laid out, tried, and graded as a draft, without a bug."""

import csv
import os
import subprocess
import sys
from pathlib import Path

import pytest

from kata.course.curriculum import OWN, ROOT

SLUG = "ex29_twice"
SUITE = '''\
from kata.judging.claims import equal
from kata.judging.inputs import given


def test_two_becomes_four(submission):
    """Twice two is four."""
    equal(submission.twice(given([2.0])), [4.0])


def test_zero_stays(submission):
    """Twice nothing is nothing."""
    equal(submission.twice(given([0.0])), [0.0])


def test_a_negative_number_stays_negative(submission):
    """Twice minus one is minus two."""
    equal(submission.twice(given([-1.0])), [-2.0])
'''


def run(*words: object, cwd: Path, **more: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *map(str, words)], capture_output=True, text=True, cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(ROOT), **more}, check=False,
    )  # fmt: skip


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A draft with three claims."""
    folder = tmp_path_factory.mktemp("course") / "week9"
    made = run("-m", "kata", "new", SLUG, "--course", folder, "--library", "numpy",
               "--points", "4", cwd=folder.parent)  # fmt: skip
    assert (made.returncode, made.stderr) == (0, "")
    for path in folder.rglob("*.py"):
        path.write_text(path.read_text("utf-8").replace("return x ", "return 2 * x "), "utf-8")
    (folder / f"tests/graded/test_{SLUG}.py").write_text(SUITE, encoding="utf-8")
    return folder


def test_its_claims_hold_on_its_solution_and_its_stub_is_not_started(course: Path) -> None:
    words = ("-m", "pytest", "-q", "-p", "no:cacheprovider", "exercises")
    right = run(*words, "--solutions", cwd=course, **{OWN: str(course)})
    stub = run(*words, cwd=course, **{OWN: str(course)})

    assert f"✓ {SLUG}    3 of 3 claims hold" in right.stdout
    assert f"· {SLUG}    not started" in stub.stdout


def test_it_is_graded_beside_those_of_the_kata(course: Path, tmp_path: Path) -> None:
    solution = (course / f"solutions/{SLUG}.py").read_text("utf-8")
    answers = {"ada": solution, "ben": solution.replace("2 * x", "x * x"), "cy": None}
    for name, text in answers.items():
        (tmp_path / "class" / name).mkdir(parents=True)
        softmax = (ROOT / "solutions/ex01_softmax.py").read_bytes()
        (tmp_path / "class" / name / "ex01_softmax.py").write_bytes(softmax)
        if text:
            (tmp_path / "class" / name / f"{SLUG}.py").write_text(text, encoding="utf-8")
    chosen = ("--only", "ex01", "--only", "ex29", "--report", "feedback")
    done = run("grader.py", tmp_path / "class", "--course", course, *chosen,
               "--grades", tmp_path / "grades", cwd=ROOT)  # fmt: skip

    assert done.returncode == 0, done.stderr
    with (tmp_path / "grades/grades.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = {row["student"]: row for row in csv.DictReader(file)}
    assert {name: row[SLUG] for name, row in rows.items()} == {
        "ada": "4", "ben": "2.6667", "cy": "0",
    }  # fmt: skip
    assert all(row["ex01_softmax"] == "1" for row in rows.values())
    page = (tmp_path / "grades/feedback/ben.md").read_text("utf-8")
    assert "Twice minus one is minus two." in page


def test_what_cannot_be_done_is_one_line(course: Path, tmp_path: Path) -> None:
    nothing = run("grader.py", tmp_path, "--course", tmp_path, cwd=ROOT)
    away = run("grader.py", tmp_path, "--course", course, "--cluster", "tcp://127.0.0.1:1",
               cwd=ROOT)  # fmt: skip
    again = run("-m", "kata", "new", SLUG, "--course", course, cwd=ROOT)

    for done, words in [
        (nothing, "curriculum.toml cannot be used"),
        (away, "--course works on this machine only"),
        (again, "there is an exercise ex29 already"),
    ]:
        assert done.returncode == 2
        assert words in done.stderr
        assert done.stderr.count("\n") == 1
