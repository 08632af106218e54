"""The tables of the cards: the right answer beside the wrong one, as cells."""

from collections.abc import Callable
from dataclasses import replace
from difflib import SequenceMatcher
from typing import Any

from kata.course.naming import exercise_named
from kata.handouts.documents_bugs import OwnBug
from kata.handouts.figures.answers import right, wrong
from kata.handouts.figures.comparing import Comparison, both_tables
from kata.handouts.figures.mistakes import MASKS, keys_seen, memory, merged, reply, shares
from kata.handouts.figures.shapes import Cell, heated, hued, outlined, struck
from kata.handouts.palette import WHITE
from kata.handouts.paper.cards import asked

Table = list[list[Cell]]
Tables = tuple[Table, ...]
LONGER, SHORTER = 8, 5  # the tokens of a query and of a memory, as in asking for its error
OF_ONE_NAME = 19  # the card of a name that two things have
STEPS = (0, 30, 60, 90)  # of a training run


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
        return str([*asked.renamed().state_dict()][-2:])
    _, answer = answers(bug)
    return reply(RAISING[bug.number])(answer) if bug.number in RAISING else ""


def answers(bug: OwnBug) -> tuple[Any, Any]:
    """The right answer and the wrong one."""
    slug = exercise_named(bug.exercise).slug
    return right(slug), wrong(slug, bug.slug)


COMPARED = {
    1: Comparison(asked.masked, "query", "key"),
    2: Comparison(asked.masked, "query", "key"),
    4: Comparison(keys_seen, "sample", "head", 0, share=True),
    8: Comparison(merged, "token", "feature", 0, hue=lambda n: n // 2 % 3),
    9: Comparison(asked.moved_by_layer, "output", "token", share=True),
    10: Comparison(asked.masked, "query", "key"),
    12: Comparison(asked.used_in_training, "query", "key"),
    13: Comparison(shares, "query", "key"),
    14: Comparison(asked.two_tokens, "query", "key"),
    15: Comparison(asked.contexts, "token", "feature", share=True),
    16: Comparison(asked.reached, "feature", "token-feature", share=True),
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
    width = asked.WIDE // asked.COUNT
    dealt = [hued(at, at // width) for at in range(width * asked.COUNT)]
    left = (outlined(struck(str(at))) for at in range(len(dealt), asked.WIDE))
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
    layer = " × ".join(map(str, asked.renamed().attention_scores.weight.shape))
    return [[Cell(scores[1])]], [[outlined(Cell(layer))]]


def returned(call: Callable[[Any], Any]) -> Callable[[OwnBug], Tables]:
    """The shape of a right result, and that of a wrong one or the kind of an error."""

    def drawn(bug: OwnBug) -> Tables:
        expected, got = (reply(call)(answer) for answer in answers(bug))
        return [[hued(expected, 0)]], [[outlined(Cell(got.partition(":")[0]))]]

    return drawn


DRAWN: dict[int, Callable[[OwnBug], Tables]] = {
    3: half_mended,
    5: keys_and_places,
    6: letters,
    7: returned(asked.attended),
    11: features_of_heads,
    17: distances,
    18: printed_losses,
    OF_ONE_NAME: one_name,
    20: returned(asked.normalised),
}

RAISING: dict[int, Callable[[Any], Any]] = {
    5: memory,
    6: asked.attended,
    7: asked.added,
    11: asked.split,
    20: asked.normalised,
}
