"""What makes another engine, and what makes none: between two runs, and between two machines."""

import shutil
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path, PureWindowsPath
from typing import Any

import pytest

from kata.course import curriculum
from kata.course.curriculum import ROOT, exercises
from kata.grading import options as fingerprint
from kata.grading.options import WITHOUT_EFFECT, Options, ground, versions, way
from tests.helpers.another_kata import another_kata

EX01 = exercises()["ex01_softmax"]
OPTIONS = Options((EX01.slug,), {EX01.slug: 1.0}, seed=7)
ENGINE = (  # some of the files that a verdict depends on
    *("kata/judging/claims.py", "kata/proofs/law.toml", "kata/inside/wire.py", "kata/text.py"),
    *("kata/diagnosis/observe.py", "kata/grading/remote.py", "kata/course/target.py"),
    *("kata/grading/steps.py", "tests/graded/test_ex01_softmax.py"),
    *("solutions/ex18_training_run.py", "bugs/ex01_softmax.toml"),
)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Another kata, which every test changes a little; of its engine only some files are left."""
    home = another_kata(tmp_path_factory.mktemp("another") / "kata")
    for path in (home / "kata").rglob("*.*"):
        name = path.relative_to(home)
        if path.is_file() and name.as_posix() not in ENGINE and not WITHOUT_EFFECT & {*name.parts}:
            path.unlink()
    return home


@pytest.fixture
def elsewhere(home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """That kata, of which versions are told."""
    monkeypatch.setattr(fingerprint, "CODE", home)
    for name in ("EXERCISES", "SOLUTIONS", "BUGS", "GRADED"):
        folder = getattr(curriculum, name)
        monkeypatch.setattr(curriculum, name, home / folder.relative_to(ROOT))
    return home


def change(path: Path) -> None:
    with path.open("a") as file:
        file.write("# changed\n")


def test_each_file_that_a_verdict_depends_on_makes_a_version(
    elsewhere: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """For a cluster, and for what is kept from one run to the next."""
    code = cache(fingerprint._code)  # three ask for it after each change
    monkeypatch.setattr(fingerprint, "_code", code)
    known = {versions(OPTIONS)["kata"], way(EX01, ground(OPTIONS))}
    for name in ENGINE:
        change(elsewhere / name)
        code.cache_clear()
        now = {versions(OPTIONS)["kata"], way(EX01, ground(OPTIONS))}
        assert known.isdisjoint(now), name
        known |= now


def test_each_choice_makes_a_version(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(fingerprint, "_code", lambda: "0123")
    monkeypatch.setattr(fingerprint, "exercises", lambda: {EX01.slug: EX01})
    (tmp_path / EX01.filename).write_text("# another reference\n")
    limits: list[dict[str, Any]] = [{"seed": 8}, {"timeout": 9.0}, {"memory": 9},
                                    {"diagnosis": False}, {"solutions": tmp_path}]  # fmt: skip
    marks: list[dict[str, Any]] = [{"slugs": ()}, {"points": {EX01.slug: 2.0}}]

    for ask, choices in ((fingerprint.fingerprint, [*limits, *marks]), (ground, limits)):
        found = [ask(OPTIONS), *(ask(replace(OPTIONS, **choice)) for choice in choices)]
        assert len(set(found)) == len(choices) + 1, ask.__name__


def change_what_only_shows(home: Path) -> None:
    rooms = [room for name in WITHOUT_EFFECT for room in (home / "kata").rglob(name)
             if room.is_dir()]  # fmt: skip
    for path in (path for room in rooms for path in room.rglob("*.*") if path.is_file()):
        change(path)
    assert {room.name for room in rooms} == WITHOUT_EFFECT


def leave_what_editors_leave(home: Path) -> None:
    for name in ("kata", "kata/judging", "kata/grading", "exercises", "tests/graded"):
        folder = home / name
        (folder / ".ipynb_checkpoints").mkdir()
        (folder / ".#judge.py").symlink_to("somebody@somewhere.1")
        for file in (".DS_Store", "._judge.py", "judge.py~"):
            (folder / file).touch()


def do_an_exercise(home: Path) -> None:
    shutil.copy(EX01.solution, home / "exercises")


@pytest.mark.parametrize("work", [
    change_what_only_shows, leave_what_editors_leave, do_an_exercise,
])  # fmt: skip
def test_what_no_verdict_depends_on_makes_no_version(
    elsewhere: Path, work: Callable[[Path], None]
) -> None:
    before = versions(OPTIONS)
    work(elsewhere)

    assert versions(OPTIONS) == before


def test_windows_and_linux_have_the_same_version(
    elsewhere: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class There(type(elsewhere)):  # type: ignore[misc]  # it differs by system
        def relative_to(self, *others: Any) -> PureWindowsPath:
            return PureWindowsPath(super().relative_to(*others))

    before = versions(OPTIONS)
    monkeypatch.setattr(fingerprint, "CODE", There(elsewhere))

    assert versions(OPTIONS) == before
