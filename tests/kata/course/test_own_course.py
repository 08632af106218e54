"""Exercises of an instructor's own, in a folder outside the kata."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from kata.course.catalogue import bugs, content, shares
from kata.course.curriculum import (
    OWN,
    ROOT,
    SOLUTIONS,
    exercise_named,
    exercises,
    suite_folders,
    use,
)
from kata.course.suite_code import Group, groups
from kata.course.target import Target, reference
from kata.errors import UserError
from kata.grading import judge as graded
from kata.grading.judge import SuiteError, check_references
from kata.grading.options import Options
from kata.judging import judge

SLUG = "ex29_twice"
ENTRY = f'[{SLUG}]\ntitle = "Twice"\npoints = 2\nminutes = 5\nlibrary = "numpy"\n'
SOLUTION = '''\
"""Exercise 29: twice."""


def twice(x):
    """Double it."""
    return 2 * x
'''
SUITE = '''\
from kata.judging.claims import is_exactly


def test_two_becomes_four(submission):
    """Twice two is four."""
    is_exactly(submission.twice(2), 4, "twice(2)")
'''


@pytest.fixture
def course(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A draft: no wrong answers, no hints, nothing but three files and a table."""
    for name, text in {
        "exercises/curriculum.toml": ENTRY,
        f"exercises/{SLUG}.py": SOLUTION.replace("return 2 * x", "raise NotImplementedError"),
        f"solutions/{SLUG}.py": SOLUTION,
        f"tests/graded/test_{SLUG}.py": SUITE,
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.setenv(OWN, "")
    yield tmp_path
    monkeypatch.undo()
    exercises.cache_clear()


def test_its_exercises_come_last_and_the_katas_stay(course: Path) -> None:
    before = list(exercises())
    use(course)

    assert list(exercises()) == [*before, SLUG]
    own = exercise_named("ex29")
    assert own.is_own
    assert own.points == 2
    assert own.suite.parent in suite_folders()
    assert not exercises()[before[0]].is_own


def test_processes_that_are_started_know_it(course: Path) -> None:
    use(course)

    assert os.environ[OWN] == str(course.resolve())


def test_a_draft_has_no_wrong_answers_and_no_other_right_ones(course: Path) -> None:
    use(course)
    own = exercises()[SLUG]

    assert bugs(own) == ()
    assert content(own) == b""
    assert list(own.accepted.glob("*.py")) == []


def test_its_reference_lies_in_its_own_folder(course: Path) -> None:
    use(course)

    assert reference().module(SLUG).twice(3) == 6
    assert exercises()[SLUG].solution_in(SOLUTIONS) == course / f"solutions/{SLUG}.py"
    assert exercises()["ex01_softmax"].solution_in(None) == ROOT / "solutions/ex01_softmax.py"


def test_another_reference_may_leave_it_out_or_have_it(course: Path, tmp_path: Path) -> None:
    use(course)
    other = tmp_path / "mine"
    other.mkdir()
    assert reference(other).module(SLUG).twice(3) == 6

    (other / f"{SLUG}.py").write_text(SOLUTION.replace("2 * x", "x + x + 0"), encoding="utf-8")
    assert "+ 0" in Target(other).source(SLUG).text
    assert exercises()[SLUG].solution_in(other) == other / f"{SLUG}.py"


@pytest.mark.parametrize(("change", "reason"), [
    (lambda c: (c / "exercises/curriculum.toml").unlink(), "cannot be used"),
    (lambda c: (c / f"solutions/{SLUG}.py").unlink(), f"ex29_twice: there is no .*{SLUG}.py"),
    (lambda c: (c / f"tests/graded/test_{SLUG}.py").unlink(), f"there is no .*test_{SLUG}.py"),
    (lambda c: rewrite(c, ENTRY.replace("29", "05")), "ex05 is an exercise of the kata"),
    (lambda c: rewrite(c, ENTRY.replace("points = 2\n", "")), "ex29_twice has no `points`"),
    (lambda c: rewrite(c, "[["), "cannot be used"),
])  # fmt: skip
def test_what_is_wrong_with_it_is_told_in_one_line(course: Path, change, reason: str) -> None:
    change(course)
    with pytest.raises(UserError, match=reason) as error:
        use(course)

    assert "\n" not in str(error.value)


def rewrite(course: Path, text: str) -> None:
    (course / "exercises/curriculum.toml").write_text(text, encoding="utf-8")


def test_all_claims_of_a_suite_without_headings_are_of_the_idea(course: Path) -> None:
    use(course)
    own = exercise_named("ex29")

    assert groups(own) == {"test_two_becomes_four": Group.IDEA}
    assert shares(own) == {"test_two_becomes_four": 1.0}


def test_a_suite_that_refuses_its_own_reference_ends_the_run(course: Path) -> None:
    """Otherwise it would refuse all who are right, without a word."""
    options = Options((SLUG,), {SLUG: 2.0})
    use(course)
    check_references(options)

    suite = course / "tests" / "graded" / f"test_{SLUG}.py"
    suite.write_text(SUITE.replace("twice(2), 4", "twice(2), 50"), encoding="utf-8")
    judge.suite.cache_clear()
    graded.claims.cache_clear()
    with pytest.raises(SuiteError, match=f"{SLUG}: its suite refuses the reference, .*: test_two_"):
        check_references(options)


def test_a_suite_that_was_proven_is_not_judged_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(graded, "check", lambda *_: pytest.fail("it was judged"))

    check_references(Options(tuple(exercises()), {}))
