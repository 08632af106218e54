"""What is remembered of a folder of exercises, and where."""

from pathlib import Path

import pytest

from kata.learner.progress import Progress
from kata.verdict import ExerciseVerdict

SLUG = "ex01_softmax"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "home" / "exercises"
    made.mkdir(parents=True)
    return made


def note(folder: Path) -> bool:
    progress = Progress(folder)
    progress.note(ExerciseVerdict(SLUG, not_run=1), "digest")
    return progress.save()


def is_known(folder: Path) -> bool:
    return Progress(folder).verdict(SLUG, "digest") is not None


def no_folder(place: Path) -> None:
    """Something that cannot be written into, for an administrator either."""
    (place / ".kata").write_text("a file", encoding="utf-8")


def test_it_lies_beside_the_folder(folder: Path) -> None:
    assert note(folder)
    assert is_known(folder)
    assert (folder.parent / ".kata" / "exercises.json").exists()
    assert [*folder.iterdir()] == []


def test_where_nothing_can_be_written_there_it_lies_inside(folder: Path) -> None:
    no_folder(folder.parent)
    assert note(folder)
    assert is_known(folder)
    assert (folder / ".kata" / "exercises.json").exists()


def test_that_nothing_can_be_remembered_is_said(folder: Path) -> None:
    no_folder(folder.parent)
    no_folder(folder)
    assert not note(folder)
    assert not is_known(folder)
