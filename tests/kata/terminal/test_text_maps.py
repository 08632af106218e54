"""Heat maps in a terminal, character by character."""

import re

import numpy as np
import pytest

from kata.terminal.heat_map import heat_map, tiny
from kata.terminal.style import Style
from kata.verdict import Picture

FANCY, PLAIN = Style(unicode=True), Style(unicode=False)
COLOURED = Style(unicode=True, colour=True, many=True)
WEIGHTS = Picture(expected=[[1.0, 0.0, 0.0], [0.5, 0.5, 0.0]],
                  got=[[1.0, 0.0, 0.0], [0.25, 0.25, float("nan")]],
                  wrong=[[False, False, False], [True, True, True]], where="0, 2",
                  shape=[1, 3, 2, 3], worst=[1, 2])  # fmt: skip
CODES = re.compile(r"\033\[[0-9;]*m")


def without_codes(lines: list[str]) -> list[str]:
    return [CODES.sub("", line).rstrip() for line in lines]


def test_weights_have_shades_and_the_worst_one_is_pointed_at() -> None:
    assert heat_map(WEIGHTS, FANCY) == [
        "expected         got, at 0, 2", "   0   1   2        0   1   2",
        "0  █   ·   ·     0  █   ·   ·", "1  ▒   ▒   ·     1 [░] [░] >?<",
    ]  # fmt: skip


def test_without_unicode_shades_are_ascii() -> None:
    lines = heat_map(WEIGHTS, PLAIN)

    assert lines[3] == "1  +   +   .     1 [:] [:] >?<"
    assert all(line.isascii() for line in lines)


def test_other_numbers_are_written() -> None:
    picture = Picture([[0.5, 200.0]], [[-1.25, 2e-7]], [[True, True]], worst=[0, 1])

    assert heat_map(picture, FANCY) == ["expected             got",
                                        "       0       1            0       1",
                                        "0    .50     200     0 [-1.25]  >2e-7<"]  # fmt: skip


def test_in_colours_numbers_are_written_and_nothing_is_told_by_colour_alone() -> None:
    lines = heat_map(WEIGHTS, COLOURED)

    assert without_codes(lines) == [
        "expected               got, at 0, 2", "     0     1     2          0     1     2",
        "0    1     0     0     0    1     0     0", "1  .50   .50     0     1 [.25] [.25] >nan<",
    ]  # fmt: skip
    assert "\033[1;38;5;16;48;5;137m[.25]" in lines[3]  # orange: got, and wrong
    assert "\033[38;5;16;48;5;67m .50 " in lines[3]  # blue: expected
    assert "\033[31m>nan<" in lines[3]


def test_misplaced_numbers_have_the_colour_of_their_place() -> None:
    picture = Picture(
        [[1.0, 2.0]], [[2.0, 1.0]], [[True, True]],
        worst=[0, 0], axis=1, home=[0, 1], belongs=[[1, 0]], stands=[[0, 1]],
    )  # fmt: skip
    lines = heat_map(picture, COLOURED)

    assert "48;5;75m 1 " in lines[2]
    assert "48;5;215m>2<" in lines[2]
    assert lines[3] == "2 is right in another place: it is expected at [0, 1]"


def test_with_few_colours_what_is_wrong_is_red() -> None:
    lines = heat_map(WEIGHTS, Style(colour=True))

    assert "\033[31m[░]\033[0m" in lines[3]
    assert "48;5" not in "".join(lines)


def test_a_narrow_terminal_has_one_above_the_other() -> None:
    picture = Picture([[0.123, -4.5, 6.0]], [[-7.89, 1.0, 2.0]], [[True] * 3], worst=[0, 0])
    lines = heat_map(picture, Style(width=40))

    assert [line.split(",")[0] for line in lines if not line[:1].isdigit()][:1] == ["expected"]
    assert max(map(len, lines)) <= 36
    assert len(lines) == 7 if lines[-1].startswith("(") else 6


@pytest.mark.parametrize("width", [40, 60, 80, 100])
def test_of_a_large_array_what_fits_is_shown(width: int) -> None:
    rng = np.random.default_rng(1)
    right = rng.normal(size=(12, 12))
    picture = Picture(
        right.tolist(), (right + 1).tolist(), (right < 9).tolist(),
        row=8, column=18, shape=[20, 30], worst=[11, 3],
    )  # fmt: skip

    for style in (Style(width=width), Style(width=width, colour=True, many=True)):
        lines = without_codes(heat_map(picture, style))
        assert max(map(len, lines)) <= width - 4
        assert sum(">" in line for line in lines) == 1
        told = re.search(r"\(rows 12 to 19 of 20, columns \d+ to \d+ of 30\)", " ".join(lines))
        assert told


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0, "0"), (1.0, "1"), (-0.5, "-.50"), (0.996, "1.00"), (10.0, "10"), (1e-7, "1e-7"),
     (-12.34, "-12.3"), (200.4, "200"), (12345.0, "1e4"), (float("inf"), "inf"), (0.05, ".05")],
)  # fmt: skip
def test_a_number_is_short(value: float, text: str) -> None:
    assert tiny(value) == text
