"""The slides, read again from their PDF: what a room has to see from the back row."""

import io
import math
import re
from dataclasses import dataclass
from functools import cache
from typing import Any
from xml.etree import ElementTree

import pypdf
import pytest

from kata.course.catalogue import bugs, changed
from kata.course.curriculum import Exercise, exercises
from kata.course.source import is_private
from kata.handouts import palette
from kata.handouts.marked import marked
from kata.handouts.paper.sheets import drawn
from kata.handouts.paper.slides.context import in_context
from kata.handouts.paper.slides.deck import data, slides
from kata.handouts.paper.slides.figure_parts import WIDEST, parts
from kata.handouts.paper.slides.wrong_code import WIDTH, call
from kata.handouts.paper.typesetting import SCREEN, Data, TypesettingError, pdf

ALL = list(exercises().values())
CORE = [each for each in ALL if each.core]
SHORTS = [each.short for each in ALL]
SIZE, MARGIN, FOOT = (841.89, 473.56), 28, 34  # points: of a slide, at its sides, of its footer
EACH = ("title", "left", "right", "question", "answer", "wrong", "told")  # slides of an exercise
TEXT, CODE, DIGITS, FOOTER = 18, 16, 14, 12  # points, at least
PART, WHOLE = 13, 8  # of letters in the parts of a figure, and in all of it at once
ADVANCE, ROUNDED = 0.602, 0.05
DECK = data(core=False)["exercises"]


@dataclass(frozen=True)
class Words:
    """Some letters as they are set: where they begin, how high they are, and of what kind."""

    text: str
    x: float
    y: float
    points: float
    is_mono: bool
    in_figure: bool

    @property
    def least(self) -> float:
        """How high they have to be, unless they are in a figure."""
        if self.y < FOOT:
            return FOOTER
        if self.is_mono:
            return DIGITS if re.fullmatch(r"[−\d.e]+|nan|−?inf", self.text) else CODE
        return TEXT


@cache
def deck() -> pypdf.PdfReader:
    return pypdf.PdfReader(io.BytesIO(slides(core=True)))


def place(short: str, kind: str) -> int:
    at = [each.short for each in CORE].index(short)
    return 1 + at * len(EACH) + EACH.index(kind)


@cache  # to read a page takes long
def read(at: int) -> tuple[str, list[Words]]:
    """All that a slide says, and its letters."""
    found: list[Words] = []

    def visit(text: str, cm: Any, tm: Any, font: Any, size: float) -> None:
        if text.strip():
            scale = math.hypot(*cm[2:4])
            points = abs(size) * math.hypot(*tm[2:4]) * scale
            x, y = (cm[0] * tm[4] + cm[2] * tm[5] + cm[4], cm[1] * tm[4] + cm[3] * tm[5] + cm[5])
            mono = "Mono" in str(font["/BaseFont"])
            found.append(Words(text.strip(), x, y, points, mono, not math.isclose(scale, 1)))

    return plain(deck().pages[at].extract_text(visitor_text=visit)), found


def plain(text: str) -> str:
    """Without spaces, as a PDF does not say what stood where a line is broken."""
    return "".join(text.split())


def said(pieces: list[tuple[str, str]]) -> str:
    return plain("".join(each for _, each in pieces))


def told(short: str, kind: str) -> str:
    return read(place(short, kind))[0]


def words(short: str, kind: str) -> list[Words]:
    return read(place(short, kind))[1]


def of(exercise: Exercise) -> Data:
    return next(each for each in DECK if each["short"] == exercise.short)


def the(short: str, slug: str) -> list[Any]:
    exercise = next(each for each in ALL if each.short == short)
    return [exercise, next(bug for bug in bugs(exercise) if bug.slug == slug)]


def test_the_core_has_a_slide_to_begin_with_and_seven_for_each_exercise() -> None:
    first, _ = read(0)

    assert len(deck().pages) == 1 + len(CORE) * len(EACH)
    assert "7exercises" in first
    assert "pytestexercises" in first
    for each in deck().pages:
        assert (each.mediabox.width, each.mediabox.height) == pytest.approx(SIZE, abs=0.1)


def test_every_letter_can_be_read_from_the_back_row() -> None:
    for at in range(len(deck().pages)):
        kind = EACH[(at - 1) % len(EACH)] if at else "title"
        in_figure = WHOLE if kind == "title" else PART
        small = [one for one in read(at)[1]
                 if one.points + ROUNDED < (in_figure if one.in_figure else one.least)]  # fmt: skip
        assert small == [], at + 1


def test_nothing_leads_out_of_a_slide() -> None:
    for at in range(len(deck().pages)):
        for one in read(at)[1]:
            width = len(one.text) * ADVANCE * one.points if one.is_mono else 0
            assert MARGIN - 1 <= one.x <= one.x + width <= SIZE[0] - MARGIN + 1, (at + 1, one)
            assert 0 < one.y < SIZE[1], (at + 1, one)


@pytest.mark.parametrize("exercise", CORE, ids=lambda each: each.short)
def test_an_exercise_is_asked_about_before_it_is_answered(exercise: Exercise) -> None:
    each, short = of(exercise), exercise.short
    ask, answer = map(said, each["question"])
    found = each["mistake"]
    (_, right), *_ = found["changes"]

    assert plain(exercise.title) in told(short, "title")
    assert plain(f"pytest exercises/{exercise.filename}") in told(short, "title")
    assert ask in told(short, "question")
    assert answer not in told(short, "question")
    assert answer in told(short, "answer")
    assert all(plain(code) in told(short, "wrong") for code in found["code"])
    for kind, is_told in (("wrong", False), ("told", True)):
        for text in (plain(right), *(said(found[name]) for name in ("title", "why", "claim"))):
            assert (text in told(short, kind)) is is_told, (kind, text)


def test_every_slide_says_which_exercise_it_is_about() -> None:
    for exercise in CORE:
        for kind in EACH:
            foot = [each.text for each in words(exercise.short, kind) if each.y < FOOT]
            assert plain(" ".join(foot)).startswith(f"{exercise.short[2:]}{plain(exercise.title)}")


def test_every_digit_of_a_map_is_there() -> None:
    for exercise in CORE:
        cells = [cell[0] for each in of(exercise)["mistake"]["maps"]
                 for _, row in each["rows"] for cell in row]  # fmt: skip
        shown = [each.text for each in words(exercise.short, "wrong") if each.is_mono]

        assert [each for each in cells if plain(" ".join(shown)).count(each) < 1] == []
        assert cells


@pytest.mark.parametrize("exercise", ALL, ids=SHORTS)
def test_a_mistake_can_be_seen_in_its_lines_and_in_its_numbers(exercise: Exercise) -> None:
    found = of(exercise)["mistake"]
    _, bug = the(exercise.short, found["slug"])
    wrong = plain(re.sub(r"\s+# .*", "", changed(exercise, bug)))

    assert all(plain(code) in wrong for code in found["code"])
    assert all(both[0] and both[1] for both in found["changes"])
    assert all(len(line) <= WIDTH for code in found["code"] for line in code.splitlines())
    assert len(found["maps"]) == 2
    assert any(cell[2] for _, row in found["maps"][1]["rows"] for cell in row)
    assert found["places"] == [each for each in found["places"] if not is_private(each)]


def test_no_two_exercises_show_the_same_mistake_if_there_is_another_one() -> None:
    slugs = [each["mistake"]["slug"] for each in DECK]

    assert len(slugs) - len(set(slugs)) <= 1


def test_a_wrong_line_stands_between_its_neighbours() -> None:
    (code,) = in_context(*the("ex04", "softmax-over-queries"))

    assert code.splitlines() == [
        "scaled = scores / math.sqrt(query.size(-1))",
        "weights = scaled.softmax(dim=-2)",
        "return weights @ value, weights",
    ]


def test_a_neighbour_is_not_from_inside_of_another_block() -> None:
    (mask,) = in_context(*the("ex11", "mask-ignored"))
    (layers,) = in_context(*the("ex15", "original-x"))

    assert mask.splitlines()[0] == "context, _ = masked_attention(queries, keys, values)"
    assert layers.splitlines()[0] == "for layer in self.layers:"


@pytest.mark.parametrize("longer", range(0, 24, 2))
def test_a_call_is_not_broken_inside_of_a_shape(longer: int) -> None:
    asked = f"{'f' * longer}({', '.join(f'name_{at} (2, 5, 18) float32' for at in range(6))})\nmore"

    lines = call(asked)

    assert len(lines) > 1
    assert plain("".join(lines)) == plain(asked.partition("\n")[0])
    assert [line for line in lines if re.search(r"\(\d[\d, ]*$", line)] == []


@pytest.mark.parametrize("exercise", ALL, ids=SHORTS)
def test_the_parts_of_a_figure_have_all_of_it_and_cut_only_lines(exercise: Exercise) -> None:
    figure = drawn(exercise)
    assert figure
    whole, halves = elements(figure["svg"]), [elements(each) for each in parts(figure["svg"])]

    assert len(halves) == 2
    for each in whole:
        count = sum(half.count(each) for half in halves)
        assert count >= 1
        assert count == whole.count(each) or "points" in each
    for half in parts(figure["svg"]):
        left, _, width, _ = map(float, ElementTree.fromstring(half).get("viewBox", "").split())
        assert width <= WIDEST + 20
        assert all(left <= float(x) <= left + width for x in re.findall(r'[" ]x="([\d.]+)"', half))


def elements(svg: str) -> list[str]:
    return [repr((sorted(each.items()), each.text)) for each in ElementTree.fromstring(svg)]


def test_a_small_figure_stays_whole() -> None:
    small = (
        '<svg xmlns="http://www.w3.org/2000/svg"><rect x="0" y="0" width="400" height="9"/></svg>'
    )

    assert parts(small) == [small]


@pytest.mark.parametrize("ground", ["WHITE", "PAPER"])
@pytest.mark.parametrize("name", ["INK", "MUTED", "BLUE", "GREEN", "ORANGE"])
def test_colours_can_be_read_on_a_wall(name: str, ground: str) -> None:
    """4.5 for text; the orange of one word is for large letters, for which 3 is enough."""
    value = getattr(palette, name)
    dark = value if isinstance(value, str) else value.dark

    assert contrast(dark, getattr(palette, ground)) >= (3 if name == "ORANGE" else 4.5)


def test_digits_can_be_read_on_the_darkest_cell() -> None:
    blue, white = ([int(each[at : at + 2], 16) for at in (1, 3, 5)]
                   for each in (palette.BLUE.dark, palette.WHITE))  # fmt: skip
    half = "#" + "".join(f"{(a + b) // 2:02x}" for a, b in zip(blue, white, strict=True))

    assert contrast(palette.INK, half) >= 4.5


def contrast(one: str, other: str) -> float:
    """As WCAG computes it."""
    low, high = sorted(map(_luminance, (one, other)))
    return (high + 0.05) / (low + 0.05)


def _luminance(colour: str) -> float:
    shares = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [
        each / 12.92 if each <= 0.04045 else ((each + 0.055) / 1.055) ** 2.4 for each in shares
    ]
    return sum(weight * each for weight, each in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def small_deck(**changes: Any) -> bytes:
    each = {**DECK[0], **changes}
    return pdf("slides.typ", {"start": data(core=True)["start"], "exercises": [each]}, SCREEN)


def test_an_exercise_may_do_without_figure_question_and_mistake() -> None:
    made = pypdf.PdfReader(
        io.BytesIO(small_deck(figure=None, parts=[], question=[], subtitle=[], mistake=None))
    )

    assert len(made.pages) == 2
    assert "Softmax" in made.pages[1].extract_text()


def test_a_slide_that_is_too_full_is_an_error() -> None:
    found = {**DECK[0]["mistake"], "evidence": marked("far too much " * 200)}

    with pytest.raises(TypesettingError, match="no room on a slide of ex01"):
        small_deck(mistake=found)


def test_a_line_that_is_too_long_is_an_error() -> None:
    found = {**DECK[0]["mistake"], "code": ["x" * 90]}

    with pytest.raises(TypesettingError, match="no room on a slide of ex01"):
        small_deck(mistake=found)
