"""The gate that compares cells with files notices when they differ."""

from dataclasses import replace
from random import Random

import pytest

from kata.course.cells import Assembly, Cell, assembled
from kata.course.curriculum import Exercise, exercises
from kata.course.source import read
from kata.upkeep import parity
from kata.upkeep.parity import NOISE, cells_are_judged_like_files, notebook

EX01 = exercises()["ex01_softmax"]


def test_the_notebooks_have_noise_that_would_break_a_file() -> None:
    """Every piece of it is there, and it is never the same notebook twice."""
    text = read(EX01.solution).text
    made = ["\n".join(cell.text for cell in notebook(text, Random(seed))) for seed in range(60)]

    assert all(any(each in one for one in made) for each in NOISE)
    assert len(set(made)) == len(made)
    assert all("scores = 1 / 0" in one for one in made)
    assert all(one.count("def softmax") <= 2 for one in made)
    assert any("def softmax(*arguments" in one for one in made)


def test_a_text_that_does_something_else_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def first_cell_left_out(cells: list[Cell], exercise: Exercise) -> Assembly:
        return assembled([each for each in cells if "import numpy" not in each.text], exercise)

    monkeypatch.setattr(parity, "assembled", first_cell_left_out)
    told = list(cells_are_judged_like_files(EX01))

    first = "test_one_row_gets_the_weights_worked_out_by_hand"
    assert told[0] == f"{EX01.filename}: {first} is passed as a file, error as cells"


def test_a_line_in_the_wrong_place_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def shifted(cells: list[Cell], exercise: Exercise) -> Assembly:
        found = assembled(cells, exercise)
        return replace(found, places=found.places | {1: (len(cells), 1)})

    monkeypatch.setattr(parity, "assembled", shifted)
    told = list(cells_are_judged_like_files(EX01))

    assert any(": line 1 is said to be line 1 of cell" in each for each in told)
