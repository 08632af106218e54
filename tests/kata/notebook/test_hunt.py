"""`hunt()` in a notebook: one that waits for its answer, which practice remembers."""

from pathlib import Path

import pytest

from kata.course.curriculum import exercises
from kata.notebook import hunts as hunting
from kata.notebook.check import CheckError
from kata.practice.memory import Memory
from kata.practice.questions import LETTERS
from tests.kata.notebook.test_check import cells_of, one

EX01 = exercises()["ex01_softmax"]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """No notebook runs here, so its folder and its cells are given."""
    home = tmp_path / "exercises"
    monkeypatch.setattr("kata.notebook.kernel.folder_of_notebook", lambda: home)
    monkeypatch.setattr(hunting, "cells", list)
    hunting.WAITING.clear()
    return home


def test_a_hunt_is_shown_and_answered_once(folder: Path) -> None:
    asked = hunting.hunt("ex01")
    waiting = hunting.WAITING[0]
    said = hunting.hunt(waiting.right.upper())

    assert waiting.bug.title in repr(asked)
    assert "Which mistake is behind it?" in repr(asked)
    assert asked._repr_html_().startswith("<pre")
    assert said.lines[0] == "Right."
    assert Memory(folder).hunt(EX01.slug, waiting.bug.slug).box == 1
    with pytest.raises(CheckError, match=r"no hunt waits for an answer: `hunt\(\)` shows one"):
        hunting.hunt("a")


def test_a_wrong_answer_is_told_the_right_one(folder: Path) -> None:
    hunting.hunt("ex01")
    waiting = hunting.WAITING[0]
    other = next(each for each in LETTERS if each != waiting.right)

    assert hunting.hunt(other).lines[0].startswith(f"No: it is {waiting.right}")
    assert Memory(folder).hunt(EX01.slug, waiting.bug.slug).box == 0


def test_without_a_name_it_is_of_what_is_begun_or_the_first() -> None:
    hunting.hunt()

    assert hunting.WAITING[0].exercise == EX01


def test_an_unknown_exercise_is_told_in_a_sentence() -> None:
    with pytest.raises(CheckError, match="ex77"):
        hunting.hunt("ex77")


def test_the_code_of_a_passed_exercise_is_hunted_for_by_its_loss(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    solved = cells_of("ex06_causal_attention")
    monkeypatch.setattr(hunting, "cells", lambda: solved)
    with pytest.raises(CheckError, match="ex06_causal_attention is not passed yet"):
        hunting.hunt("ex06", form="loss")
    assert one(solved, folder, "ex06")

    asked = hunting.hunt("ex06", form="loss")

    assert "The loss falls. Is the code right?" in " ".join(repr(asked).split())
    assert 'hunt("right"), hunt("wrong")' in repr(asked)
    with pytest.raises(CheckError, match="an answer to this hunt is one of right, wrong"):
        hunting.hunt("a")
    assert hunting.hunt(hunting.WAITING[0].right).lines[0] == "Right."
