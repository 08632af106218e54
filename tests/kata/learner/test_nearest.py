"""Which folder of exercises is meant: the nearest one, if it is the learner's own."""

import os
from pathlib import Path

import pytest

from kata.errors import UserError
from kata.learner.folder import folder_of_notebook, nearest

OTHER = 4321  # a user


@pytest.fixture
def mine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in, with exercises beside it."""
    mine, exercises = tmp_path / "mine", tmp_path / "exercises"
    mine.mkdir()
    exercises.mkdir()
    (exercises / "ex01_softmax.py").write_text("raise SystemExit('run')\n")
    monkeypatch.chdir(mine)
    return mine


def test_exercises_are_found_from_below(mine: Path) -> None:
    assert nearest() == Path("../exercises")
    assert folder_of_notebook() == mine.parent / "exercises"


def test_who_starts_in_the_folder_means_it(mine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(mine.parent / "exercises")

    assert folder_of_notebook() == mine.parent / "exercises"


def test_a_folder_without_exercises_is_passed_by(mine: Path) -> None:
    (mine / "exercises").mkdir()

    assert nearest() == Path("../exercises")


def test_a_link_is_not_used(mine: Path) -> None:
    (mine / "exercises").symlink_to(mine.parent / "exercises")

    with pytest.raises(UserError, match=r"mine/exercises is not used: it is a link"):
        nearest()
    with pytest.raises(UserError, match="is not used"):
        folder_of_notebook()


@pytest.mark.skipif(not hasattr(os, "chown") or os.getuid() != 0, reason="takes another user")
def test_exercises_of_another_user_are_not_run_until_they_are_named(mine: Path) -> None:
    """Anybody may lay them out in a folder that is shared, above those of others."""
    os.chown(mine.parent / "exercises", OTHER, OTHER)

    with pytest.raises(UserError, match="it belongs to another user"):
        nearest()
    with pytest.raises(UserError, match="it belongs to another user"):
        folder_of_notebook()
