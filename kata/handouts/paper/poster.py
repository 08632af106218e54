"""The poster: the documents' own bugs, each with its line and what it does to numbers."""

import io
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from functools import cache
from types import MappingProxyType
from typing import Any

import torch
from torch import Tensor

from kata.course.catalogue import Bug, changed
from kata.course.curriculum import SOLUTIONS, Exercise, exercise_named, exercises
from kata.course.target import Target
from kata.handouts.examples import TEXTS, ExampleError
from kata.handouts.excerpts import break_lines, excerpts, without_remark
from kata.handouts.figures.answers import entry, filled, inference, moved, right, tensor, wrong
from kata.handouts.figures.mistakes import (
    HEADS,
    MASKS,
    Comparison,
    both_tables,
    keys_seen,
    memory,
    merged,
    reply,
    shares,
)
from kata.handouts.figures.shapes import Cell, heated, hued, outlined, struck
from kata.handouts.mistakes import OwnBug, own_bugs
from kata.handouts.palette import WHITE
from kata.handouts.paper.typesetting import Data, marked, pdf
from kata.handouts.site.address import Address
from kata.handouts.site.pages import NOWHERE

LEGEND = ("legend", "computed", "scan", "run", "right", "wrong")
WIDTH = 46  # characters of a line
NOTHING: Mapping[str, str] = MappingProxyType({})
Table = list[list[Cell]]
Tables = tuple[Table, ...]
LONGER, SHORTER = 8, 5  # the tokens of a query and of a memory, as in asking for its error
OF_ONE_NAME = 19  # the card of a name that two things have
STEPS = (0, 30, 60, 90)  # of a training run
SIZE = 4  # of most tables: two of them stand beside each other, with digits for a metre
WIDE, COUNT = 10, 3  # a width that the heads do not divide
BORDER = 2  # modules around it: cards are white, so that less than the usual four will do


def poster(paper: str, address: Address = NOWHERE) -> bytes:
    """The PDF, one large page; with QR codes if the museum has an address."""
    return pdf("poster.typ", data(address), paper)


def data(address: Address = NOWHERE) -> Data:
    """The contents of the poster."""
    said = _texts()
    with inference():
        cards = [_card(own_bug, address) for own_bug in own_bugs()]
    legend = {name: marked(said[name]) for name in LEGEND}
    title = said["title"].format(count=len(cards))
    return {**legend, "title": title, "about": said["about"], "site": address.site, "cards": cards}


@cache
def _texts() -> dict[str, Any]:
    return tomllib.loads((TEXTS / "poster.toml").read_text(encoding="utf-8"))


def _card(bug: OwnBug, address: Address) -> Data:

    said = next(card for card in _texts()["card"] if card["number"] == bug.number)
    cells = [[[vars(cell) for cell in row] for row in table] for table in tables(bug)]
    return {
        "number": bug.number,
        "title": bug.title,
        "code": _code(bug, said),
        "tables": cells,
        "sentence": marked(said["sentence"]),
        **{name: said.get(name, "") for name in ("rows", "columns")},
        **{name: said.get(name, []) for name in ("names", "heads", "titles")},
        "called": said.get("called", ""),
        "answer": answered(bug),
        **_way(bug, address),
    }


def _code(bug: OwnBug, said: Data) -> str:
    """The wrong lines, which may be those of another wrong answer."""
    short, slug = said.get("of", (bug.exercise, bug.slug))
    exercise = exercise_named(short)
    return code(
        exercise, entry(exercise.slug, slug), said.get("lines", ()), said.get("renamed", {})
    )


def _way(bug: OwnBug, address: Address) -> Data:
    """The way to its page of the museum, or else to the failure itself."""
    exercise = exercise_named(bug.exercise)
    page = address.of(f"bugs/{exercise.slug}/{bug.slug}.html")
    return {
        "command": f"kata show {bug.exercise} {bug.slug}",
        "page": page,
        "qr": qr_code(page) if page else "",
        "scanned": _texts()["code"].format(address=page),
    }


def code(
    exercise: Exercise, bug: Bug, chosen: Sequence[str], renamed: Mapping[str, str] = NOTHING
) -> str:
    """The lines in which these texts stand, after a renaming; or those that make it wrong."""
    whole = changed(exercise, bug)
    for name, other in renamed.items():
        whole = whole.replace(name, other)
    lines = [_line_with(text, whole) for text in chosen] or _wrong_lines(exercise, bug)
    return "\n".join(break_lines("\n".join(lines), WIDTH))


def _wrong_lines(exercise: Exercise, bug: Bug) -> list[str]:
    return [
        line for excerpt in excerpts(exercise, bug) for line in excerpt.code.splitlines() if line
    ]


def _line_with(text: str, whole: str) -> str:
    """The one line with this text, without its remark."""
    candidates = [line for line in whole.splitlines() if text in line]
    if len(candidates) != 1:
        raise ExampleError(f"poster: {text!r} stands in {len(candidates)} lines")
    return without_remark(candidates[0]).strip()


def tables(bug: OwnBug) -> Tables:
    """One table or two; what is wrong in the last one has an edge."""
    if bug.number in COMPARED:
        how = COMPARED[bug.number]
        return tuple(map(_numbers, both_tables(how, *map(how.ask, answers(bug)))))
    return DRAWN[bug.number](bug)


def _numbers(table: Table) -> Table:
    """The table with nothing struck but zeros: NaN and infinity are not hidden."""
    return [
        [cell if cell.text == "0" else replace(cell, hidden=False) for cell in row] for row in table
    ]


def answered(bug: OwnBug) -> str:
    """The reply to the call on a card, in most cases an error; "" if there is no call."""
    if bug.number == OF_ONE_NAME:
        return str([*renamed().state_dict()][-2:])
    _, answer = answers(bug)
    return reply(RAISING[bug.number])(answer) if bug.number in RAISING else ""


def answers(bug: OwnBug) -> tuple[Any, Any]:
    """The right answer and the wrong one."""
    slug = exercise_named(bug.exercise).slug
    return right(slug), wrong(slug, bug.slug)


def masked(answer: Any) -> Any:
    """Weights of queries under a causal mask."""
    mask = right(MASKS).causal_mask(SIZE)
    return answer.mask_scores(tensor(5, SIZE, SIZE), mask).softmax(dim=-1)


def moved_by_layer(answer: Any) -> Tensor:
    """Return how far the outputs of an encoder layer move under a causal mask."""
    layer, mask = answer.EncoderLayer(6, 3, 12).double().eval(), right(MASKS).causal_mask(SIZE)
    filled(layer.attention, 7, 0.5)
    filled(layer.feed_forward, 2, 0.5)
    return moved(lambda x: layer(x, mask), tensor(3, 1, SIZE, 6))


def used_in_training(answer: Any) -> Tensor:
    """The weights that reach the values if all are dropped: values and outputs are their places."""
    model, one = filled(answer.MultiHeadAttention(SIZE, 1, dropout=1.0), 7).train(), torch.eye(SIZE)
    for layer in (model.w_value, model.w_out):
        layer.weight.copy_(one)
        layer.bias.zero_()
    x = one[None].double()
    output: Tensor = model(x, x, x)[0][0]
    return output


def two_tokens(answer: Any) -> Any:
    """Weights of two tokens on one another."""
    tokens = tensor(4, 2, 3).numpy()
    return answer.attention_weights(answer.attention_scores(tokens, tokens))


def contexts(answer: Any) -> Any:
    """Three tokens of four features, read with weights that give two."""
    weights = [tensor(seed, 4, 2, spread=0.5) for seed in (11, 12, 13)]
    return answer.self_attention(tensor(10, 3, 4), *weights)


def reached(answer: Any) -> Tensor:
    """Return how far each feature of the heads (rows) moves with one of a token (columns)."""
    model, one = filled(answer.MultiHeadAttention(SIZE, 2), 3, digits=4), torch.eye(SIZE)
    model.w_out.weight.copy_(one)
    x = tensor(2, 1, 1, SIZE)
    outputs = [model(tokens, tokens, tokens)[0] for tokens in (x, *(x + step for step in one))]
    return torch.cat([(output - outputs[0])[0] for output in outputs[1:]]).T.abs()


COMPARED = {
    1: Comparison(masked, "query", "key"),
    2: Comparison(masked, "query", "key"),
    4: Comparison(keys_seen, "sample", "head", 0, share=True),
    8: Comparison(merged, "token", "feature", 0, hue=lambda n: n // 2 % 3),
    9: Comparison(moved_by_layer, "output", "token", share=True),
    10: Comparison(masked, "query", "key"),
    12: Comparison(used_in_training, "query", "key"),
    13: Comparison(shares, "query", "key"),
    14: Comparison(two_tokens, "query", "key"),
    15: Comparison(contexts, "token", "feature", share=True),
    16: Comparison(reached, "feature", "token-feature", share=True),
}


# ---- what has no second answer beside it
def half_mended(bug: OwnBug) -> Tables:
    """The inverted mask once its result is kept, and the line with both mistakes."""
    how, both = COMPARED[1], (wrong(MASKS, slug) for slug in ("scores-inverted", bug.slug))
    meant = how.ask(right(MASKS))
    return tuple(both_tables(how, meant, how.ask(answer))[1] for answer in both)


def keys_and_places(_: OwnBug) -> Tables:
    """The keys of a memory, and as many places as the query has tokens."""
    there = [hued(at, 0) for at in range(SHORTER)]
    missing = [outlined(struck("?"))] * (LONGER - SHORTER)
    return ([[*there, *[Cell(fill=WHITE)] * (LONGER - SHORTER)], [*there, *missing]],)


def letters(bug: OwnBug) -> Tables:
    """The name that PyTorch calls over the one that the class has, letter by letter."""
    called, there = (vars(answer.MultiHeadAttention) for answer in answers(bug))
    (name,), (other,) = sorted(called.keys() - there), sorted(there.keys() - called)
    kept = _kept(name, other)
    row = [hued(letter, 0) if at in kept else outlined(struck()) for at, letter in enumerate(name)]
    return ([[hued(letter, 0) for letter in name], row],)


def _kept(name: str, other: str) -> set[int]:
    """The places of the letters of a name that the other one has, too."""
    blocks = SequenceMatcher(None, name, other).get_matching_blocks()
    return {at for block in blocks for at in range(block.a, block.a + block.size)}


def features_of_heads(_: OwnBug) -> Tables:
    """Features as they are dealt out to heads, and what is left over."""
    width = WIDE // COUNT
    dealt = [hued(at, at // width) for at in range(width * COUNT)]
    left = (outlined(struck(str(at))) for at in range(len(dealt), WIDE))
    return ([[*dealt, *left]],)


def distances(bug: OwnBug) -> Tables:
    """The distances of wrong answers from the right output, on examples of different sizes."""
    _, *rows = bug.table
    numbers = [[float(value.strip("*")) for value in row[1:]] for row in rows]
    most = max(map(max, numbers))
    return ([[_distance(value, most) for value in row] for row in numbers],)


def _distance(value: float, most: float) -> Cell:
    return heated(value, most=most) if value else outlined(struck("0"))


def printed_losses(bug: OwnBug) -> Tables:
    """The losses that stand below the code, and those that it gives, at some steps."""
    head, printed, computed, _ = bug.table
    places = [head.index(str(step)) for step in STEPS]
    rows = [[heated(float(row[at]), digits=4) for at in places] for row in (printed, computed)]
    return ([rows[0], [outlined(cell) for cell in rows[1]]],)


def one_name(bug: OwnBug) -> Tables:
    """The shapes of the two things that have it."""
    _, scores, _ = bug.table
    layer = " × ".join(map(str, renamed().attention_scores.weight.shape))
    return [[Cell(scores[1])]], [[outlined(Cell(layer))]]


def returned(call: Callable[[Any], Any]) -> Callable[[OwnBug], Tables]:
    """The shape of a right result, and that of a wrong one or the kind of an error."""

    def drawn(bug: OwnBug) -> Tables:
        expected, got = (reply(call)(answer) for answer in answers(bug))
        return [[hued(expected, 0)]], [[outlined(Cell(got.partition(":")[0]))]]

    return drawn


def attended(answer: Any) -> Any:
    """Attention of eight tokens to one another: the output."""
    x = torch.zeros(1, 8, 32)
    result = answer.MultiHeadAttention(32, 4)(x, x, x)
    return result if result is None else result[0]


def normalised(answer: Any) -> Any:
    """Two rows of eight features, through a norm with a number as its width."""
    return answer.LayerNorm(8)(torch.zeros(2, 8))


def renamed() -> Any:
    """Attention with an output layer named like the scores, as large as in its notebook."""
    text = exercises()[HEADS].solution.read_text(encoding="utf-8")
    answer = {HEADS: text.replace("w_out", "attention_scores")}
    target = Target(SOLUTIONS, answer, trusts=lambda _: True)
    return target.module(HEADS).MultiHeadAttention(32, 4)


DRAWN: dict[int, Callable[[OwnBug], Tables]] = {
    3: half_mended,
    5: keys_and_places,
    6: letters,
    7: returned(attended),
    11: features_of_heads,
    17: distances,
    18: printed_losses,
    OF_ONE_NAME: one_name,
    20: returned(normalised),
}


def added(answer: Any) -> Any:
    """The output of attention added to its input."""
    return torch.zeros(1, 8, 32) + attended(answer)


def split(answer: Any) -> Any:
    """Two samples of five tokens, split into heads that do not divide their width."""
    return answer.split_heads(torch.zeros(2, 5, WIDE), COUNT)


RAISING: dict[int, Callable[[Any], Any]] = {
    5: memory,
    6: attended,
    7: added,
    11: split,
    20: normalised,
}


def qr_code(address: str) -> str:
    """An SVG in black and white."""
    import segno  # an optional extra

    out = io.BytesIO()
    segno.make(address, error="m", micro=False).save(
        out, kind="svg", border=BORDER, xmldecl=False, svgns=True, nl=False
    )
    return out.getvalue().decode()
