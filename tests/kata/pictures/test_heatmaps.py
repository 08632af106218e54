"""The cells of the heat maps, which all faces draw."""

import pytest

from kata.pictures.heatmaps import FAINTEST, Cell, captions, maps, part
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


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0, "0"), (1.0, "1"), (-0.5, "-0.50"), (0.996, "1.00"), (10.0, "10"), (1e-7, "1e-7"),
     (8.44e-248, "8e-248"), (12345.0, "1e4"), (float("inf"), "inf"), (-0.001, "-1e-3"),
     (0.005, "0.01"), (0.0049, "5e-3"), (999.5, "999.50"), (1000.5, "1e3")],
)  # fmt: skip
def test_a_number_in_a_cell_is_short(value: float, text: str) -> None:
    assert Cell(value, 0.0, wrong=False).short == text


@pytest.mark.parametrize(("value", "sign"), [(0.5, ""), (-0.5, "-"), (float("nan"), "?")])
def test_a_sign_says_what_a_shade_does_not(value: float, sign: str) -> None:
    assert Cell(value, 0.0, wrong=False).sign == sign


MERGED = Picture(
    expected=[[0.0, 1.0], [2.0, 3.0]],
    got=[[0.0, 2.0], [1.0, 3.0]],
    wrong=[[False, True], [True, False]],
    where="4",
    shape=[5, 2, 2],
    worst=[1, 0],
    axis=1,
    home=[4, 0, 1],
    belongs=[[0, 1], [0, 1]],
    stands=[[0, 0], [1, 1]],
)


def test_of_misplaced_numbers_the_place_is_told_and_not_the_difference() -> None:
    expected, got = maps(MERGED)

    assert [[cell.hue for cell in row] for row in expected.rows] == [[0, 0], [1, 1]]
    assert [[cell.hue for cell in row] for row in got.rows] == [[0, 1], [0, 1]]
    assert [cell.worst for row in got.rows for cell in row] == [False, False, True, False]
    assert captions(MERGED) == ["1 is right in another place: it is expected at [4, 0, 1]"]


def test_no_two_of_twelve_places_look_the_same() -> None:
    looks = {
        (cell.hue, cell.round) for cell in (Cell(0.0, 0.0, False, place=at) for at in range(12))
    }

    assert len(looks) == 12


def test_a_part_keeps_the_worst_cell_and_says_what_part_it_is() -> None:
    grid = [[float(10 * row + column) for column in range(12)] for row in range(12)]
    wrong = [[True] * 12 for _ in range(12)]
    whole = Picture(grid, grid, wrong, row=4, column=2, shape=[30, 14], worst=[11, 6])

    shown = part(whole, 8, 5)

    assert (shown.row, shown.column, shown.worst) == (8, 6, [7, 2])
    assert shown.got[7][2] == whole.got[11][6]
    assert captions(shown) == ["(rows 8 to 15 of 30, columns 6 to 10 of 14)"]
    assert part(shown, 8, 5) == shown


def test_rows_and_columns_have_the_indices_of_the_array() -> None:
    shown = maps(Picture([[0.0] * 2], [[1.0] * 2], [[True] * 2], row=7, column=11))[1]

    assert (shown.row_names, shown.column_names) == (["7"], ["11", "12"])
