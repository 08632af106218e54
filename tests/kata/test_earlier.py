"""Cells import earlier exercises without a folder; what is judged imports the learner's own."""

from importlib import import_module
from pathlib import Path

from kata.course.cells import Cell, assembled
from kata.course.curriculum import SOLUTIONS, exercises
from kata.course.target import Target

IMPORT = "from kata.earlier.ex01_softmax import softmax"
WEIGHTS = "def attention_weights(scores):\n    return softmax(scores)"


def test_a_cell_gets_what_an_earlier_exercise_gives() -> None:
    names: dict[str, object] = {}

    exec("from kata.earlier.ex14_encoder_layer import EncoderLayer", names)

    assert str(names["EncoderLayer"](6, 2, 12)).startswith("EncoderLayer(")  # type: ignore[operator]


def test_the_assembled_text_imports_a_sibling() -> None:
    text = assembled([Cell(1, IMPORT), Cell(2, WEIGHTS)], exercises()["ex02_attention_scores"]).text

    assert text.startswith("from .ex01_softmax import softmax\n")


def test_the_learners_own_exercise_is_used_where_it_is_trusted() -> None:
    own = "import numpy as np\n\n\ndef softmax(scores, axis=-1):\n    return np.full(2, 0.5)\n"
    exercise = exercises()["ex02_attention_scores"]
    text = assembled([Cell(1, IMPORT), Cell(2, WEIGHTS)], exercise).text
    target = Target(Path("nowhere"), {exercise.slug: text, "ex01_softmax": own}, lambda _: True)

    assert target.module(exercise.slug).attention_weights([1.0, 9.0]).tolist() == [0.5, 0.5]


def test_it_is_the_reference() -> None:
    found = import_module("kata.earlier.ex07_heads").__file__

    assert found == str(SOLUTIONS / "ex07_heads.py")
