"""The cheat sheet: all that it says is true of the solutions, and large enough to be read."""

import io
import re
from functools import cache
from typing import Any

import pypdf
import pytest

from kata.course.catalogue import changed
from kata.course.curriculum import exercises
from kata.course.naming import exercise_named
from kata.handouts.examples import ExampleError
from kata.handouts.figures.answers import entry
from kata.handouts.paper import cheat_sheet
from kata.handouts.paper.two_pages import checked
from kata.handouts.paper.two_pages.pairs import pair

CODE = 7.5  # points, at least
LEAVES = {"ex03", "ex08", "ex09", "ex10", "ex11", "ex15", "ex16", "ex27"}  # have no room
DATA = cheat_sheet.data()
PAIRS = DATA["mistakes"]


@cache
def pages(paper: str) -> list[pypdf.PageObject]:
    return list(pypdf.PdfReader(io.BytesIO(cheat_sheet.cheatsheet(paper))).pages)


def plain(text: str) -> str:
    """Without spaces: where a line is broken, a PDF does not say what stood there."""
    return "".join(text.split())


def bare(code: str) -> str:
    """The code of a file without its remarks."""
    return plain(re.sub(r"\s+# .*", "", code))


@pytest.mark.parametrize("paper", ["a4", "letter"])
def test_no_code_is_too_small_to_read(paper: str) -> None:
    sizes: list[tuple[str, float]] = []

    def visit(text: str, cm: Any, tm: Any, font: Any, size: float) -> None:
        if text.strip() and "Mono" in font["/BaseFont"]:
            sizes.append((text, size * abs(tm[3] * cm[3])))

    assert len(pages(paper)) == 2
    for page in pages(paper):
        page.extract_text(visitor_text=visit)
    assert len(sizes) > 200
    assert [each for each in sizes if each[1] < CODE] == []


@pytest.mark.parametrize("paper", ["a4", "letter"])
def test_everything_stands_on_the_pages(paper: str) -> None:
    told = plain("".join(page.extract_text() for page in pages(paper)))
    counted = [*DATA["costs"]["rows"], *DATA["costs"]["cost"]]

    assert all(plain(each) in told for each in DATA["headings"].values())
    assert all(each["name"].replace(" ", "") in told for each in DATA["formulae"])
    assert [number for *_, number in counted if number not in told] == []
    assert [line for line in DATA["code"].splitlines() if plain(line) not in told] == []
    assert [each["slug"] for each in PAIRS for side in ("wrong", "right")
            if plain(each[side]) not in told] == []  # fmt: skip


@pytest.mark.parametrize("each", PAIRS, ids=lambda each: f"{each['short']} {each['slug']}")
def test_the_right_line_is_the_solutions_and_the_wrong_one_is_not(each: Any) -> None:
    exercise = exercise_named(each["short"])
    right = bare(changed(exercise))
    wrong = bare(changed(exercise, entry(exercise.slug, each["slug"])))

    assert plain(each["right"]) in right
    assert plain(each["wrong"]) in wrong or each["wrong"].startswith("(")
    assert wrong.count(plain(each["right"])) < right.count(plain(each["right"])) or (
        plain(each["wrong"]) in plain(each["right"])
    )
    assert each["wrong"] != each["right"]


def test_both_halves_of_the_course_are_covered() -> None:
    shorts = [each["short"] for each in PAIRS]

    assert shorts == sorted(shorts)
    assert {each.short for each in exercises().values()} - set(shorts) == LEAVES


def test_a_line_that_is_left_out_is_told_in_words() -> None:
    assert pair("ex18", "no-zero-grad", "(left out)")["wrong"] == "(left out)"


def test_a_false_formula_is_an_error() -> None:
    table = {"setup": "", "rows": [["softmax", "w", "w", "softmax(np.zeros(2))[0] == 1"]]}

    with pytest.raises(ExampleError, match="the formula of softmax"):
        checked.formulae(table, cheat_sheet._run)


def test_a_false_count_is_an_error() -> None:
    row = ["a layer", "E²", "E * E", "E * E + E"]
    table = {"setup": "E = F = H = G = L = T = 2", "rows": [row], "cost": [], "heads": []}

    with pytest.raises(ExampleError, match="a layer is not E²"):
        checked.costs({**table, "cost-heads": []}, cheat_sheet._run)


def test_code_that_gives_something_else_is_an_error() -> None:
    lines = [["x = torch.ones(2, 3)", "(B, T)"]]
    setup = "B, T, E, H = 2, 3, 4, 2"

    with pytest.raises(ExampleError, match="gives"):
        checked.code({"setup": setup, "check": "x.sum() == 7", "lines": lines}, cheat_sheet._run)
    with pytest.raises(ExampleError, match=r"is not \(T, B\)"):
        checked.code(
            {"setup": setup, "check": "True", "lines": [[lines[0][0], "(T, B)"]]}, cheat_sheet._run
        )


def test_a_false_shape_is_an_error() -> None:
    names = cheat_sheet._run("E, H = 4, 2")

    assert checked.sized("(3E, D)", names) == (12, 2)
    with pytest.raises(ExampleError, match=r"a matrix is not \(E, E\)"):
        checked.shape(["a matrix", "(E, E)", "torch.ones(4, 3)"], names)
