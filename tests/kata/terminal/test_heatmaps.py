"""The cells of the heat maps, which all faces draw."""

import pytest

from kata.terminal.heatmaps import FAINTEST, Cell, heat_map, maps
from kata.terminal.style import Style
from kata.verdict import Picture


def test_a_map_shows_both_in_the_same_shades_and_marks_what_is_wrong() -> None:
    picture = Picture([[1.0, 0.0]], [[0.5, float("nan")]], [[True, True]])
    expected, got, gap = maps(picture)

    assert [cell.share for cell in expected.rows[0]] == [1.0, 0.0]
    assert [cell.share for cell in got.rows[0]] == [0.5, 0.0]
    assert [cell.wrong for each in (expected, got) for cell in each.rows[0]] == [
        False, False, True, True,
    ]  # fmt: skip
    assert [each.wrong for each in (expected, got, gap)] == [0, 2, 2]
    assert [cell.short for cell in gap.rows[0]] == ["0.50", "nan"]
    assert [cell.share for cell in gap.rows[0]] == [1.0, 0.0]


def test_a_small_number_can_be_told_from_zero() -> None:
    expected, *_ = maps(Picture([[1.0, 1e-9, 0.0]], [[1.0, 1e-9, 0.0]], [[False] * 3]))

    assert [cell.share for cell in expected.rows[0]] == [1.0, FAINTEST, 0.0]


def test_where_zeros_are_expected_a_terminal_shows_what_is_none() -> None:
    zeros = Picture([[0.0, 0.0]], [[1.0, 0.0]], [[True, False]])

    assert heat_map(zeros, Style(unicode=False))[1].endswith("[#] .")


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0, "0"), (1.0, "1"), (-0.5, "-0.50"), (0.996, "1.00"), (10.0, "10"), (1e-7, "1e-7"),
     (8.44e-248, "8e-248"), (12345.0, "1e4"), (float("inf"), "inf"), (-0.001, "-1e-3")],
)  # fmt: skip
def test_a_number_in_a_cell_is_short(value: float, text: str) -> None:
    assert Cell(value, 0.0, wrong=False).short == text


@pytest.mark.parametrize(("value", "sign"), [(0.5, ""), (-0.5, "-"), (float("nan"), "?")])
def test_a_sign_says_what_a_shade_does_not(value: float, sign: str) -> None:
    assert Cell(value, 0.0, wrong=False).sign == sign
