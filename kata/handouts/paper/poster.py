"""The poster: the documents' own bugs, each with its line and its effect on numbers."""

import io
from collections.abc import Callable
from difflib import SequenceMatcher
from typing import Any

from kata.course.catalogue import changed
from kata.course.curriculum import SOLUTIONS, exercise_named, exercises
from kata.course.target import Target
from kata.handouts.examples import ExampleError, read_texts
from kata.handouts.excerpts import break_lines, excerpts, without_remark
from kata.handouts.figures.answers import entry, inference, right, wrong
from kata.handouts.figures.shapes import Cell, heated, hued, outlined, struck
from kata.handouts.mistakes import OwnBug, own_bugs
from kata.handouts.paper.experiments import (
    COMPARED,
    FEATURES,
    HEAD_COUNT,
    HEADS,
    KEYS,
    MASKS,
    QUERIES,
    Comparison,
    both_tables,
    reply,
    residual_sum,
)
from kata.handouts.paper.typesetting import Data, pdf, prose
from kata.handouts.site.address import NOWHERE, Address
from kata.palette import WHITE

LEGEND = ("legend", "computed", "scan", "run", "right", "wrong")
WIDTH = 46  # characters of a line
BORDER = 2  # modules around a QR code: cards are white, so that less than the usual four will do
Table = list[list[Cell]]
Tables = tuple[Table, ...]
NONE_RETURNED, ONE_NAME = 7, 19
# Cards that quote the answer to the call of their experiment.
CALLS = {5, 6, 11, 20}
STEPS = (0, 30, 60, 90)  # of a training run


def poster(paper: str, address: Address = NOWHERE) -> bytes:
    """The PDF, one large page; with QR codes if the museum has an address."""
    return pdf("poster.typ", data(address), paper)


def data(address: Address = NOWHERE) -> Data:
    """The contents of the poster."""
    texts = read_texts("poster")
    with inference():
        cards = [_card(bug, address) for bug in own_bugs()]
    legend = {name: prose(texts[name]) for name in LEGEND}
    title = texts["title"].format(count=len(cards))
    return {**legend, "title": title, "about": texts["about"], "site": address.site, "cards": cards}


def _card(bug: OwnBug, address: Address) -> Data:
    texts = next(card for card in read_texts("poster")["card"] if card["number"] == bug.number)
    cells = [[[vars(cell) for cell in row] for row in table] for table in tables(bug)]
    return {
        "number": bug.number,
        "title": bug.title,
        "code": _code(bug, texts),
        "tables": cells,
        "sentence": prose(texts["sentence"]),
        **{name: texts.get(name, "") for name in ("rows", "columns")},
        **{name: texts.get(name, []) for name in ("names", "heads", "titles")},
        "called": texts.get("called", ""),
        "answer": answer_to_call(bug),
        **_way(bug, address),
    }


def _code(bug: OwnBug, texts: Data) -> str:
    """The wrong lines, or the lines that the card asks for, maybe of another wrong answer."""
    short, slug = texts.get("of", (bug.exercise, bug.slug))
    exercise = exercise_named(short)
    quoted = entry(exercise.slug, slug)
    text = changed(exercise, quoted)
    for name, new_name in texts.get("renamed", {}).items():
        text = text.replace(name, new_name)
    lines = [_line_with(part, text) for part in texts.get("lines", ())]
    lines = lines or [excerpt.code for excerpt in excerpts(exercise, quoted)]
    return "\n".join(break_lines("\n".join(lines), WIDTH))


def _line_with(part: str, text: str) -> str:
    """The one line of the text with this part, without its remark."""
    candidates = [line for line in text.splitlines() if part in line]
    if len(candidates) != 1:
        raise ExampleError(f"poster: {part!r} stands in {len(candidates)} lines")
    return without_remark(candidates[0]).strip()


def _way(bug: OwnBug, address: Address) -> Data:
    """The way to its page of the museum, or else to the failure itself."""
    exercise = exercise_named(bug.exercise)
    page = address.of(f"bugs/{exercise.slug}/{bug.slug}.html")
    return {
        "command": f"kata show {bug.exercise} {bug.slug}",
        "page": page,
        "qr": qr_code(page) if page else "",
        "scanned": read_texts("poster")["code"].format(address=page),
    }


def qr_code(address: str) -> str:
    """An SVG in black and white."""
    # An optional extra.
    import segno

    out = io.BytesIO()
    segno.make(address, error="m", micro=False).save(
        out, kind="svg", border=BORDER, xmldecl=False, svgns=True, nl=False
    )
    return out.getvalue().decode()


# ---- the numbers of a card
def tables(bug: OwnBug) -> Tables:
    """One table or two; the wrong cells of the last one have an edge."""
    if bug.number in SPECIAL_TABLES:
        return SPECIAL_TABLES[bug.number](bug)
    comparison = _comparison(bug)
    return both_tables(comparison, *map(comparison.ask, answers(bug)))


def _comparison(bug: OwnBug) -> Comparison:
    return COMPARED[exercise_named(bug.exercise).slug, bug.slug]


def answer_to_call(bug: OwnBug) -> str:
    """The answer to the call on a card, in most cases an error; "" if there is no call."""
    if bug.number == ONE_NAME:
        return str([*renamed().state_dict()][-2:])
    _, answer = answers(bug)
    if bug.number == NONE_RETURNED:
        return reply(residual_sum)(answer)
    return str(_comparison(bug).ask(answer)) if bug.number in CALLS else ""


def answers(bug: OwnBug) -> tuple[Any, Any]:
    """The right answer and the wrong one."""
    slug = exercise_named(bug.exercise).slug
    return right(slug), wrong(slug, bug.slug)


def renamed() -> Any:
    """Attention with an output layer named like the scores, as large as in its notebook."""
    text = exercises()[HEADS].solution.read_text(encoding="utf-8")
    answer = {HEADS: text.replace("w_out", "attention_scores")}
    target = Target(SOLUTIONS, answer, trusts=lambda _: True)
    return target.module(HEADS).MultiHeadAttention(32, 4)


# ---- cards that do not compare two tables of numbers
def half_mended(bug: OwnBug) -> Tables:
    """The inverted mask once its result is used, and the line with both mistakes."""
    comparison = _comparison(bug)
    expected = comparison.ask(right(MASKS))
    both = (comparison.ask(wrong(MASKS, slug)) for slug in ("scores-inverted", bug.slug))
    return tuple(both_tables(comparison, expected, weights)[1] for weights in both)


def keys_and_places(_: OwnBug) -> Tables:
    """The keys of a memory, and as many places as the query has tokens."""
    keys = [hued(at, 0) for at in range(KEYS)]
    missing = [outlined(struck("?"))] * (QUERIES - KEYS)
    return ([[*keys, *[Cell(fill=WHITE)] * (QUERIES - KEYS)], [*keys, *missing]],)


def letters(bug: OwnBug) -> Tables:
    """The name that PyTorch calls over the one that the class has, letter by letter."""
    expected, actual = (vars(answer.MultiHeadAttention) for answer in answers(bug))
    (name,), (misspelt,) = sorted(expected.keys() - actual), sorted(actual.keys() - expected)
    blocks = SequenceMatcher(None, name, misspelt).get_matching_blocks()
    common = {at for block in blocks for at in range(block.a, block.a + block.size)}
    row = [
        hued(letter, 0) if at in common else outlined(struck()) for at, letter in enumerate(name)
    ]
    return ([[hued(letter, 0) for letter in name], row],)


def returned(bug: OwnBug) -> Tables:
    """The shape of the right result, and that of the wrong one or the kind of its error."""
    expected, actual = map(_comparison(bug).ask, answers(bug))
    return [[hued(expected, 0)]], [[outlined(Cell(actual.partition(":")[0]))]]


def features_of_heads(_: OwnBug) -> Tables:
    """Features as they are dealt out to heads, and the rest."""
    width = FEATURES // HEAD_COUNT
    dealt = [hued(at, at // width) for at in range(width * HEAD_COUNT)]
    rest = (outlined(struck(str(at))) for at in range(len(dealt), FEATURES))
    return ([[*dealt, *rest]],)


def distances(bug: OwnBug) -> Tables:
    """The distances of wrong answers from the right output, on examples of different sizes."""
    _, *rows = bug.table
    numbers = [[float(value.strip("*")) for value in row[1:]] for row in rows]
    most = max(map(max, numbers))
    return ([[_distance(value, most) for value in row] for row in numbers],)


def _distance(value: float, most: float) -> Cell:
    return heated(value, most=most) if value else outlined(struck("0"))


def printed_losses(bug: OwnBug) -> Tables:
    """The losses that a notebook printed, and those that its code gives, at a few steps."""
    head, printed, computed, _ = bug.table
    places = [head.index(str(step)) for step in STEPS]
    rows = [[heated(float(row[at]), digits=4) for at in places] for row in (printed, computed)]
    return ([rows[0], [outlined(cell) for cell in rows[1]]],)


def shared_name(bug: OwnBug) -> Tables:
    """The shapes of the two things that have one name."""
    _, scores, _ = bug.table
    layer = " × ".join(map(str, renamed().attention_scores.weight.shape))
    return [[Cell(scores[1])]], [[outlined(Cell(layer))]]


SPECIAL_TABLES: dict[int, Callable[[OwnBug], Tables]] = {
    3: half_mended,
    5: keys_and_places,
    6: letters,
    NONE_RETURNED: returned,
    11: features_of_heads,
    17: distances,
    18: printed_losses,
    ONE_NAME: shared_name,
    20: returned,
}
