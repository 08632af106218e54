"""The cheat sheet: all that it says is true of the solutions, and large enough to be read."""

import io
import re
from functools import cache
from typing import Any

import pypdf
import pytest

from kata.course.catalogue import changed
from kata.course.curriculum import exercise_named, exercises
from kata.handouts.examples import ExampleError
from kata.handouts.figures.answers import entry
from kata.handouts.paper import cheat_sheet
from kata.handouts.paper.cheat_sheet import pair
from kata.handouts.paper.typesetting import Data, pdf

CODE = 7.5  # points, at least
LEAVES = {"ex03", "ex08", "ex09", "ex10", "ex11", "ex15", "ex16", "ex27"}  # have no room


@cache
def data() -> Data:
    return cheat_sheet.data()


@cache
def read(paper: str) -> tuple[list[str], list[tuple[str, float]]]:
    """The text of each page, and all code with its size in points."""
    sizes: list[tuple[str, float]] = []

    def visit(text: str, cm: Any, tm: Any, font: Any, size: float) -> None:
        if text.strip() and "Mono" in font["/BaseFont"]:
            sizes.append((text, size * abs(tm[3] * cm[3])))

    pages = pypdf.PdfReader(io.BytesIO(pdf("cheatsheet.typ", data(), paper))).pages
    return [page.extract_text(visitor_text=visit) for page in pages], sizes


def plain(text: str) -> str:
    """Without spaces: where a line is broken, a PDF does not say what stood there."""
    return "".join(text.split())


def bare(code: str) -> str:
    """The code of a file without its remarks."""
    return plain(re.sub(r"\s+# .*", "", code))


def assert_whole(paper: str) -> None:
    """That everything stands on two pages, and no code is too small to be read."""
    pages, sizes = read(paper)
    told = plain("".join(pages))
    counted = [*data()["costs"]["rows"], *data()["costs"]["cost"]]

    assert len(pages) == 2
    assert len(sizes) > 200
    assert [code for code in sizes if code[1] < CODE] == []
    assert all(plain(heading) in told for heading in data()["headings"].values())
    assert all(row["name"].replace(" ", "") in told for row in data()["formulae"])
    assert [number for *_, number in counted if number not in told] == []
    assert [line for line in data()["code"].splitlines() if plain(line) not in told] == []
    assert [row["slug"] for row in data()["mistakes"] for side in ("wrong", "right")
            if plain(row[side]) not in told] == []  # fmt: skip


def test_the_sheet_is_made_of_its_data(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cheat_sheet, "data", lambda: {"all": "of it"})
    monkeypatch.setattr(cheat_sheet, "pdf", lambda *given: given)

    assert cheat_sheet.cheatsheet("letter") == ("cheatsheet.typ", {"all": "of it"}, "letter")


def test_the_right_line_is_the_solutions_and_the_wrong_one_is_not() -> None:
    assert [row["slug"] for row in data()["mistakes"] if not is_a_mistake(row)] == []


def is_a_mistake(row: Data) -> bool:
    exercise = exercise_named(row["short"])
    right = bare(changed(exercise))
    wrong = bare(changed(exercise, entry(exercise.slug, row["slug"])))
    fewer = wrong.count(plain(row["right"])) < right.count(plain(row["right"]))
    return (plain(row["right"]) in right
            and (plain(row["wrong"]) in wrong or row["wrong"].startswith("("))
            and (fewer or plain(row["wrong"]) in plain(row["right"]))
            and row["wrong"] != row["right"])  # fmt: skip


def test_both_halves_of_the_course_are_covered() -> None:
    shorts = [each["short"] for each in data()["mistakes"]]

    assert shorts == sorted(shorts)
    assert {each.short for each in exercises().values()} - set(shorts) == LEAVES


def test_a_line_that_is_left_out_is_told_in_words() -> None:
    assert pair("ex18", "no-zero-grad", "(left out)")["wrong"] == "(left out)"


def test_a_false_formula_is_an_error() -> None:
    table = {"setup": "", "rows": [["softmax", "w", "w", "softmax(np.zeros(2))[0] == 1"]]}

    with pytest.raises(ExampleError, match="the formula of softmax"):
        cheat_sheet.formulae(table)


def test_a_false_count_is_an_error() -> None:
    row = ["a layer", "E²", "E * E", "E * E + E"]
    table = {"setup": "E = F = H = G = L = T = 2", "rows": [row], "cost": [], "heads": []}

    with pytest.raises(ExampleError, match="a layer is not E²"):
        cheat_sheet.computed_costs({**table, "cost-heads": []})


def test_code_that_gives_something_else_is_an_error() -> None:
    lines = [["x = torch.ones(2, 3)", "(B, T)"]]
    setup = "B, T, E, H = 2, 3, 4, 2"

    with pytest.raises(ExampleError, match="gives"):
        cheat_sheet.code({"setup": setup, "check": "x.sum() == 7", "lines": lines})
    with pytest.raises(ExampleError, match=r"is not \(T, B\)"):
        cheat_sheet.code({"setup": setup, "check": "True", "lines": [[lines[0][0], "(T, B)"]]})


def test_a_false_shape_is_an_error() -> None:
    names = cheat_sheet._run("E, H = 4, 2")

    assert cheat_sheet.in_numbers("(3E, D)", names) == (12, 2)
    with pytest.raises(ExampleError, match=r"a matrix is not \(E, E\)"):
        cheat_sheet.shape(["a matrix", "(E, E)", "torch.ones(4, 3)"], names)
