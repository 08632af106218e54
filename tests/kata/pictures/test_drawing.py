"""What a notebook draws of a learner's own results."""

from collections.abc import Iterator
from xml.etree import ElementTree

import numpy as np
import pytest

from kata.pictures.drawing import Drawing, draw, short
from tests.helpers.later import torch


def elements(drawn: Drawing, tag: str) -> list[ElementTree.Element]:
    return [*ElementTree.fromstring(drawn._repr_html_()).iter(tag)]


def test_a_table_is_a_map_in_which_every_number_can_be_read() -> None:
    drawn = draw({"weights": torch.tensor([[1.0, 0.0], [0.25, -0.75]])})

    assert [each.text for each in elements(drawn, "text")] == ["1", "0", "0.25", "-0.75"]
    assert [each.text for each in elements(drawn, "title")] == ["1", "0", "0.25", "-0.75"]
    assert [each.get("fill-opacity") for each in elements(drawn, "rect")] == [
        "1.00", "0.00", "0.25", "0.75"
    ]  # fmt: skip
    assert elements(drawn, "rect")[3].get("fill") != elements(drawn, "rect")[0].get("fill")
    assert elements(drawn, "svg")[0].get("aria-label") == "weights: 2 rows, 2 columns"
    assert repr(drawn) == "weights\n█ ·\n▒ █"


def test_a_mask_is_drawn_as_ones_and_zeros() -> None:
    drawn = draw(np.tril(np.ones((2, 2), dtype=bool)))

    assert [each.text for each in elements(drawn, "text")] == ["1", "0", "1", "1"]


def test_no_terminal_obeys_what_is_drawn() -> None:
    drawn = draw({"\x1b[2Ja": [[1.0]], "\x1b[2Jb": [1.0], "\x1b[2Jc": "no numbers"})

    assert "\x1b" not in repr(drawn)
    assert [*drawn.notes] == ["not drawn: c is not a table or a list of numbers, but str"]


def test_more_dimensions_are_more_maps() -> None:
    titles = [each.title for each in draw({"x": torch.zeros(2, 3, 4, 5)}).grids]

    assert titles == ["x [0] [0]", "x [0] [1]", "x [0] [2]", "x [1] [0]", "x [1] [1]", "x [1] [2]"]


def test_lists_of_numbers_are_curves_in_one_chart() -> None:
    drawn = draw({"first": [3.0, 2.0, float("nan"), 1.0], "second": np.arange(4)})

    assert len(elements(drawn, "polyline")) == 3  # a gap where there is no number
    assert repr(drawn) == ("first: 4 values, from 3 to 1, between 1 and 3\n\n"
                           "second: 4 values, from 0 to 3, between 0 and 3")  # fmt: skip


def test_what_is_not_finite_is_neither_black_nor_missing() -> None:
    drawn = draw([[float("nan"), float("inf")], [1.0, 2.0]])

    assert [each.text for each in elements(drawn, "text")] == ["nan", "∞", "1", "2"]
    assert repr(drawn) == "? ?\n▓ █"


def test_what_came_before_an_unwritten_function_is_drawn() -> None:
    def picture() -> Iterator[tuple[str, object]]:
        yield "mask", [[1, 0], [1, 1]]
        raise NotImplementedError("ex05 mask_scores: not written yet")

    assert repr(draw(picture)) == "mask\n█ ·\n█ █\n\nex05 mask_scores: not written yet"


def test_an_error_of_the_learners_code_is_told_and_does_not_end_a_run() -> None:
    def picture() -> Iterator[tuple[str, object]]:
        yield "sum", np.ones(2) + np.ones(3)

    text = repr(draw(picture))
    assert text.startswith("not drawn: ValueError: operands could not be broadcast")


@pytest.mark.parametrize("what", [None, "text", [], [[1, 2], [3]], [[1], 2], [[None]], object()])
def test_what_is_no_table_is_said(what: object) -> None:
    kind = type(what).__name__
    said = f"not drawn: result is not a table or a list of numbers, but {kind}"

    assert repr(draw({"result": what})) == said


def test_no_text_becomes_markup() -> None:
    drawn = draw({"<script>": [[1.0]], "a & b": None})

    assert "<script>" not in drawn._repr_html_()
    assert "a &amp; b" in drawn._repr_html_()


def test_a_huge_result_is_cut() -> None:
    drawn = draw(np.zeros((300, 300)))

    assert len(elements(drawn, "rect")) == 64 * 64
    assert elements(drawn, "text") == []


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.5, "0.50"), (3.0, "3"), (-12.0, "-12"), (123456.0, "1e5"), (float("-inf"), "-∞")],
)
def test_numbers_are_short(value: float, text: str) -> None:
    assert short(value) == text
