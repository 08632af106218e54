"""A file with prices: what it may say, and what it is told where it may not."""

from pathlib import Path

import pytest

from kata.course.catalogue import bugs
from kata.course.curriculum import exercises
from kata.course.shares import price
from kata.errors import UserError
from kata.grading.rubric import Rubric, read_rubric

MASKS = next(each for each in exercises().values() if each.short == "ex05")
FIRST, SECOND = (each.slug for each in bugs(MASKS)[:2])


def read(folder: Path, text: str) -> Rubric:
    path = folder / "rubric.toml"
    path.write_text(text, encoding="utf-8")
    return read_rubric(path)


@pytest.mark.parametrize("name", [MASKS.short, MASKS.slug])
def test_a_price_is_a_class_or_a_number_of_points(tmp_path: Path, name: str) -> None:
    found = read(tmp_path, f'[{name}]\n{FIRST} = "grave"\n{SECOND} = 0.4\n')

    assert found.own == {(MASKS.slug, FIRST): "grave", (MASKS.slug, SECOND): 0.4}


@pytest.mark.parametrize(("text", "told"), [
    ("[ex05", "cannot be read"),
    ("ex05 = 3", "ex05 is not a table of prices"),
    (f"[ex05]\n{FIRST}x = 1", f"ex05 has no known mistake {FIRST}x; did you mean `{FIRST}`?"),
    (f"[ex05]\n{FIRST} = 'cheap'", "'cheap' is not a price: points, or one of all, grave"),
    (f"[ex05]\n{FIRST} = -1", "-1 is not a price"),
    (f"[ex05]\n{FIRST} = 1{'0' * 400}", "is not a price"),
    (f"[ex05]\n{FIRST} = true", "True is not a price"),
    (f"[ex05]\n{FIRST} = nan", "nan is not a price"),
    ("[ex99]\n", "no exercise is called ex99"),
])  # fmt: skip
def test_what_is_no_price_gets_a_line(tmp_path: Path, text: str, told: str) -> None:
    with pytest.raises(UserError, match=r"\S") as said:
        read(tmp_path, text)

    assert told in str(said.value)
    assert "\n" not in str(said.value)


def test_a_line_that_was_not_changed_is_no_price_of_ones_own(tmp_path: Path) -> None:
    """So that a file as `--write-rubric` makes it changes no mark."""
    lines = (f'{each.slug} = "{price(MASKS, each)}"' for each in bugs(MASKS))

    assert read(tmp_path, "\n".join(["[ex05]", *lines])).own == {}


def test_a_file_that_is_missing_gets_a_line(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="cannot be read: No such file"):
        read_rubric(tmp_path / "none.toml")
