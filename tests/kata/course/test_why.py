"""Every exercise has a reason, and numbers that are computed anew."""

import json
from pathlib import Path

import numpy as np
import pytest

from kata.course.curriculum import ROOT, exercises
from kata.course.reasons import measured, number_text, reason
from kata.handouts.notebook_cells import cells_of as pieces
from tests.helpers.learner_folder import run_python
from tests.helpers.sampling import sample


def test_there_is_a_reason_to_every_exercise() -> None:
    for short, found in ((each.short, reason(each)) for each in exercises().values()):
        assert found is not None, short
        assert all(len(each) > 100 for each in found.paragraphs), short
        assert found.reading.rstrip("0123456789 ,:.abcdefghijklmnopqrstuvwxyz§") != "", short


def test_the_numbers_of_a_reason_are_those_of_the_notebook() -> None:
    """Of some exercises: the tests of the notebooks measure all of them."""
    for exercise in sample([*exercises().values()]):
        numbers, title = measured(exercise), pieces(exercise)[0].text  # measured once more

        assert numbers, exercise.short
        assert all(sentence and values for sentence, values in numbers), exercise.short
        assert reason(exercise).why in title, exercise.short
        missing = [values for _, values in numbers if f"**{values}**" not in title]
        assert missing == [], exercise.short


def test_without_the_root_the_softmax_saturates_with_the_width() -> None:
    found = [[float(each) for each in values.split(", ")]
             for _, values in measured(exercises()["ex04_scaled_attention"])]  # fmt: skip

    bare, scaled = zip(*found, strict=True)
    assert list(bare) == sorted(bare)
    assert bare[-1] > 0.9
    assert max(scaled) < 0.4


@pytest.mark.parametrize(
    ("value", "told"),
    [(0.12345, "0.12"), (1050624, "1050624"), (2353.4, "2353"), (1.3e-9, "below 1e-8"), (0.0, "0"),
     ([0.5, 2], "0.5, 2"), (np.array([1.0, 0.25]), "1, 0.25"), ("yes", "yes"),
     (float("nan"), "nan"), (3e7, "3e+7")],
)  # fmt: skip
def test_numbers_are_short(value: object, told: str) -> None:
    assert number_text(value) == told


def kata(*words: str, home: Path):
    return run_python("kata", list(words), home, COLUMNS="80", PYTHONPATH=str(ROOT))


def test_the_command_tells_it_to_learners_and_to_programs(tmp_path: Path) -> None:
    told = kata("why", "ex04", home=tmp_path)
    data = json.loads(kata("why", "ex04", "--json", home=tmp_path).out)

    assert told.status == 0
    assert max(map(len, told.out.splitlines())) <= 80
    assert "without the root and with it: 0.97, 0.32" in " ".join(told.out.split())
    assert "To read on: Vaswani and others" in told.out
    assert data["numbers"][-1]["are"] == "0.97, 0.32"
    assert data["exercise"] == "ex04_scaled_attention"


def test_an_unknown_exercise_is_one_line(tmp_path: Path) -> None:
    done = kata("why", "ex77", home=tmp_path)

    assert (done.status, done.out) == (2, "")
    assert done.err.count("\n") == 1
