"""The slides, read again from their PDF: what a room has to see from the back row."""

import io
import math
import re
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any
from xml.etree import ElementTree

import pypdf
import pytest

from kata import palette
from kata.course.catalogue import bugs, changed
from kata.course.curriculum import Exercise, exercise_named, exercises
from kata.course.source import is_private
from kata.handouts.drawing import Box, Drawing
from kata.handouts.excerpts import in_context
from kata.handouts.figures import figure
from kata.handouts.paper import slides as deck
from kata.handouts.paper.slides import WIDEST, WIDTH, call, exercise_slides, parts
from kata.handouts.paper.typesetting import SCREEN, Data, TypesettingError, pdf, prose

FEW = [exercise_named(short) for short in ("ex04", "ex07")]  # the others are in tests/system
SIZE, MARGIN, FOOT = (841.89, 473.56), 28, 34  # points: of a slide, at its sides, of its footer
EACH = ("title", "left", "right", "question", "answer", "wrong", "told")  # slides of an exercise
TEXT, CODE, DIGITS, FOOTER = 18, 16, 14, 12  # points, at least
PART, WHOLE = 13, 8  # of letters in the parts of a figure, and in all of it at once
ADVANCE, ROUNDED = 0.602, 0.05


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


class Slides:
    """A deck, read again from its PDF."""

    def __init__(self, data: Data, made: bytes) -> None:
        self.data = {each["short"]: each for each in data["exercises"]}
        self.pages = pypdf.PdfReader(io.BytesIO(made)).pages

    @cached_property  # to read a page takes long
    def read(self) -> list[tuple[str, list[Words]]]:
        """All that each slide says, and its letters."""
        return [slide(page) for page in self.pages]

    def place(self, short: str, kind: str) -> int:
        return 1 + list(self.data).index(short) * len(EACH) + EACH.index(kind)

    def told(self, short: str, kind: str) -> str:
        return self.read[self.place(short, kind)][0]

    def words(self, short: str, kind: str) -> list[Words]:
        return self.read[self.place(short, kind)][1]


def slide(page: pypdf.PageObject) -> tuple[str, list[Words]]:
    letters: list[Words] = []

    def visit(text: str, cm: Any, tm: Any, font: Any, size: float) -> None:
        if text.strip():
            scale = math.hypot(*cm[2:4])
            points = abs(size) * math.hypot(*tm[2:4]) * scale
            x, y = (cm[0] * tm[4] + cm[2] * tm[5] + cm[4], cm[1] * tm[4] + cm[3] * tm[5] + cm[5])
            mono = "Mono" in str(font["/BaseFont"])
            letters.append(Words(text.strip(), x, y, points, mono, not math.isclose(scale, 1)))

    return plain(page.extract_text(visitor_text=visit)), letters


@cache
def of(exercise: Exercise) -> Data:
    return exercise_slides(exercise)


@cache
def few() -> Slides:
    data = {"start": deck._start(core=True, count=7), "exercises": [*map(of, FEW)]}
    return Slides(data, pdf("slides.typ", data, SCREEN))


def plain(text: str) -> str:
    """Without spaces, as a PDF does not say what stood where a line is broken."""
    return "".join(text.split())


def said(pieces: list[tuple[str, str]]) -> str:
    return plain("".join(each for _, each in pieces))


def the(short: str, slug: str) -> list[Any]:
    exercise = exercise_named(short)
    return [exercise, next(bug for bug in bugs(exercise) if bug.slug == slug)]


def test_a_deck_has_a_slide_to_begin_with_and_seven_for_each_exercise() -> None:
    begin, _ = few().read[0]

    assert len(few().pages) == 1 + len(FEW) * len(EACH)
    assert "7exercises" in begin
    assert "pytestexercises" in begin
    for page in few().pages:
        assert (page.mediabox.width, page.mediabox.height) == pytest.approx(SIZE, abs=0.1)


def test_every_letter_can_be_read_from_the_back_row_and_none_leads_out_of_its_slide() -> None:
    assert_readable(few())


def assert_readable(slides: Slides) -> None:
    for at, (_, letters) in enumerate(slides.read):
        in_figure = WHOLE if at and EACH[(at - 1) % len(EACH)] == "title" else PART
        small = [one for one in letters
                 if one.points + ROUNDED < (in_figure if one.in_figure else one.least)]  # fmt: skip
        assert small == [], at + 1
        for one in letters:
            width = len(one.text) * ADVANCE * one.points if one.is_mono else 0
            assert MARGIN - 1 <= one.x <= one.x + width <= SIZE[0] - MARGIN + 1, (at + 1, one)
            assert 0 < one.y < SIZE[1], (at + 1, one)


def test_an_exercise_is_asked_about_before_it_is_answered() -> None:
    for exercise in FEW:
        assert_asked_before_answered(few(), exercise)


def assert_asked_before_answered(slides: Slides, exercise: Exercise) -> None:
    short, told = exercise.short, slides.told
    ask, answer = map(said, slides.data[short]["question"])
    mistake = slides.data[short]["mistake"]
    (_, right), *_ = mistake["changes"]

    assert plain(exercise.title) in told(short, "title")
    assert plain(f"pytest exercises/{exercise.filename}") in told(short, "title")
    assert ask in told(short, "question")
    assert answer not in told(short, "question")
    assert answer in told(short, "answer")
    assert all(plain(code) in told(short, "wrong") for code in mistake["code"])
    for kind, is_told in (("wrong", False), ("told", True)):
        for text in (plain(right), *(said(mistake[name]) for name in ("title", "why", "claim"))):
            assert (text in told(short, kind)) is is_told, (kind, text)


def test_every_slide_says_its_exercise_and_a_map_has_every_digit() -> None:
    for exercise in FEW:
        assert_whole(few(), exercise)


def assert_whole(slides: Slides, exercise: Exercise) -> None:
    short = exercise.short
    for kind in EACH:
        foot = [each.text for each in slides.words(short, kind) if each.y < FOOT]
        assert plain(" ".join(foot)).startswith(f"{short[2:]}{plain(exercise.title)}")
    cells = [cell[0] for table in slides.data[short]["mistake"]["maps"]
             for _, row in table["rows"] for cell in row]  # fmt: skip
    shown = [each.text for each in slides.words(short, "wrong") if each.is_mono]

    assert [cell for cell in cells if plain(" ".join(shown)).count(cell) < 1] == []
    assert cells


def test_a_mistake_can_be_seen_in_its_lines_and_in_its_numbers() -> None:
    for exercise in FEW:
        assert_seen(exercise, of(exercise)["mistake"])


def assert_seen(exercise: Exercise, mistake: Data) -> None:
    _, bug = the(exercise.short, mistake["slug"])
    wrong = plain(re.sub(r"\s+# .*", "", changed(exercise, bug)))

    assert all(plain(code) in wrong for code in mistake["code"])
    assert all(both[0] and both[1] for both in mistake["changes"])
    assert all(len(line) <= WIDTH for code in mistake["code"] for line in code.splitlines())
    assert len(mistake["maps"]) == 2
    assert any(cell[2] for _, row in mistake["maps"][1]["rows"] for cell in row)
    assert mistake["places"] == [name for name in mistake["places"] if not is_private(name)]


def test_a_mistake_of_an_earlier_slide_is_shown_only_if_there_is_no_other() -> None:
    exercise = FEW[0]
    shown = of(exercise)["mistake"]["slug"]

    assert exercise_slides(exercise, {shown})["mistake"]["slug"] != shown
    assert deck._mistake_slugs([of(exercise)]) == {shown}


def test_a_wrong_line_stands_between_its_neighbours() -> None:
    (code,) = in_context(*the("ex04", "softmax-over-queries"))

    assert code.splitlines() == ["scaled = scores / math.sqrt(query.size(-1))",
                                 "weights = scaled.softmax(dim=-2)",
                                 "return weights @ value, weights"]  # fmt: skip


def test_a_neighbour_is_not_from_inside_of_another_block() -> None:
    (mask,) = in_context(*the("ex11", "mask-ignored"))
    (layers,) = in_context(*the("ex15", "original-x"))

    assert mask.splitlines()[0] == "context, _ = masked_attention(queries, keys, values)"
    assert layers.splitlines()[0] == "for layer in self.layers:"


def test_a_call_is_not_broken_inside_of_a_shape() -> None:
    given = ", ".join(f"name_{at} (2, 5, 18) float32" for at in range(6))
    for longer in range(0, 24, 2):
        asked = f"{'f' * longer}({given})\nmore"
        lines = call(asked)

        assert len(lines) > 1
        assert plain("".join(lines)) == plain(asked.partition("\n")[0])
        assert [line for line in lines if re.search(r"\(\d[\d, ]*$", line)] == []


def test_the_parts_of_a_figure_have_all_of_it_and_cut_only_lines() -> None:
    for exercise in list(exercises().values())[::3]:
        assert_parted(exercise)


def assert_parted(exercise: Exercise) -> None:
    drawing = figure(exercise.slug)
    assert drawing
    whole, halves = elements(drawing.svg), [elements(part) for part in parts(drawing)]

    assert len(halves) == 2
    for element in whole:
        count = sum(half.count(element) for half in halves)
        assert count >= 1
        assert count == whole.count(element) or "points" in element
    for part in parts(drawing):
        left, _, width, _ = map(float, ElementTree.fromstring(part).get("viewBox", "").split())
        assert width <= WIDEST + 20
        assert all(left <= float(x) <= left + width for x in re.findall(r'[" ]x="([\d.]+)"', part))


def elements(svg: str) -> list[str]:
    root = ElementTree.fromstring(svg)
    return [repr((sorted(element.items()), element.text)) for element in root]


def test_a_small_figure_stays_whole() -> None:
    page = Drawing()
    page.rect(Box(0, 0, 400, 9))
    small = page.figure("small", "a box", "It is small.")

    assert parts(small) == [small.svg]


def test_colours_can_be_read_on_a_wall() -> None:
    """4.5 for text; the orange of one word is for large letters, for which 3 is enough."""
    dark = {name: getattr(getattr(palette, name), "dark", getattr(palette, name))
            for name in ("INK", "MUTED", "BLUE", "GREEN", "ORANGE")}  # fmt: skip

    assert [(name, ground) for name, colour in dark.items()
            for ground in (palette.WHITE, palette.PAPER)
            if contrast(colour, ground) < (3 if name == "ORANGE" else 4.5)] == []  # fmt: skip


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
    slides = {**of(exercise_named("ex01")), **changes}
    data = {"start": deck._start(core=True, count=7), "exercises": [slides]}
    return pdf("slides.typ", data, SCREEN)


def test_an_exercise_may_do_without_figure_question_and_mistake() -> None:
    made = pypdf.PdfReader(
        io.BytesIO(small_deck(figure=None, parts=[], question=[], subtitle=[], mistake=None))
    )

    assert len(made.pages) == 2
    assert "Softmax" in made.pages[1].extract_text()


def test_a_slide_that_is_too_full_is_an_error() -> None:
    found = {**of(exercise_named("ex01"))["mistake"], "evidence": prose("far too much " * 200)}

    with pytest.raises(TypesettingError, match="no room on a slide of ex01"):
        small_deck(mistake=found)


def test_a_line_that_is_too_long_is_an_error() -> None:
    found = {**of(exercise_named("ex01"))["mistake"], "code": ["x" * 90]}

    with pytest.raises(TypesettingError, match="no room on a slide of ex01"):
        small_deck(mistake=found)
