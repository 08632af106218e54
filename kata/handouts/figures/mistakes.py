"""The figures of wrong answers: their results beside the right ones."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from textwrap import wrap
from typing import Any

import numpy as np
import torch
from torch import Tensor

from kata.handouts.drawing import Box, Drawing, Figure
from kata.handouts.figures import ex18_training_run
from kata.handouts.figures.answers import entry, filled, label, moved, reached, right, tensor, wrong
from kata.handouts.figures.shapes import Cell, axis_x, axis_y, grid, heated, hued, outlined, struck
from kata.palette import BLUE, HAIR, INK, ORANGE, PAPER, WHITE

MASKS, HEADS, LAYER = "ex05_causal_masks", "ex09_multi_head_attention", "ex14_encoder_layer"
LOOPS, SPLIT, PLAIN, NORM = (
    "ex02_attention_scores",
    "ex07_heads",
    "ex03_self_attention",
    "ex12_layer_norm",
)
RUN = "ex18_training_run"
TOP, LEFT, BETWEEN = 42.0, 26.0, 54.0
EDGE = 26.0  # for a title that is wider than its table
HIGH = 19.0  # a row
NAMES = 62.0  # for the names of rows
LINE, LETTERS = 12.0, 46  # of an answer in words


def figure(slug: str, bug: str) -> Figure | None:
    """The figure of a wrong answer, if there is one."""
    how = COMPARED.get((slug, bug))
    if how is None:
        return None
    return _comparison(slug, bug, how, how.ask(right(slug)), how.ask(wrong(slug, bug)))


# ---- numbers that an answer gives
def masked(answer: Any, size: int = 5) -> Any:
    """Weights of as many queries under a causal mask."""
    mask = right(MASKS).causal_mask(size)
    return answer.mask_scores(tensor(5, size, size), mask).softmax(dim=-1)


def keys_seen(answer: Any) -> Any:
    """Return how many keys every head sees; the four samples have 8, 6, 4 and 2 tokens."""
    model, x = filled(answer.MultiHeadAttention(8, 4), 1), tensor(2, 4, 8, 8)
    mask = right(MASKS).padding_mask(torch.tensor([8, 6, 4, 2]), 8).expand(4, 8, 8)
    return (model(x, x, x, mask)[1][:, :, 0] > 0).sum(dim=-1)


def merged(answer: Any) -> Any:
    """Three tokens of two heads, numbered head by head and token by token."""
    return answer.merge_heads(torch.arange(12).view(1, 2, 3, 2))[0]


def split(answer: Any) -> Tensor:
    """Head 0 and head 1 of four tokens of four features, side by side."""
    heads: Tensor = answer.split_heads(torch.arange(16).view(1, 4, 4), 2)[0]
    return torch.cat(list(heads), dim=-1)


def moved_by_heads(answer: Any) -> Tensor:
    """Multi-head attention under a causal mask."""
    model, mask = filled(answer.MultiHeadAttention(6, 3), 7, 0.5), right(MASKS).causal_mask(5)
    return moved(lambda x: model(x, x, x, mask)[0], tensor(3, 1, 5, 6))


def moved_by_layer(answer: Any, size: int = 5) -> Tensor:
    """A whole encoder layer under a causal mask, on as many tokens."""
    layer = answer.EncoderLayer(6, 3, 12).double().eval()
    filled(layer.attention, 7, 0.5)
    filled(layer.feed_forward, 2, 0.5)
    return moved(lambda x: layer(x, right(MASKS).causal_mask(size)), tensor(3, 1, size, 6))


def all_dropped(answer: Any) -> Any:
    """The outputs in training when all weights are dropped: the bias alone is left."""
    model = filled(answer.MultiHeadAttention(4, 2, dropout=1.0), 7).train()
    x = tensor(3, 1, 3, 4)
    return model(x, x, x)[0][0]


def shares(answer: Any) -> Any:
    """Weights of three lines of scores."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return answer.attention_weights(
            np.array([[2.0, 1.0, 1.0], [1.0, -1.0, 2.0], [1.0, -1.0, 0.0]])
        )


def token_weights(answer: Any, size: int = 4) -> Any:
    """Weights of as many tokens on one another."""
    tokens = tensor(4, size, 3).numpy()
    return answer.attention_weights(answer.attention_scores(tokens, tokens))


def contexts(answer: Any) -> Any:
    """Three tokens of four features, read with weights that give two."""
    weights = [tensor(seed, 4, 2, spread=0.5) for seed in (11, 12, 13)]
    return answer.self_attention(tensor(10, 3, 4), *weights)


def features_reached(answer: Any, size: int = 6) -> Tensor:
    """Return how far every feature of the heads (rows) moves with one of a token (columns)."""
    model = filled(answer.MultiHeadAttention(size, 2), 3, digits=4)
    return reached(model, lambda x: model(x, x, x)[0])


def matches(answer: Any) -> Tensor:
    """The verdicts of the check on a run with a mask that does nothing, and with one that works."""
    runs = [list(ex18_training_run.losses(run)) for run in ("dropped", "working", "unmasked")]
    return torch.tensor([[answer.losses_match_unmasked(run, runs[-1])] for run in runs[:2]])


# ---- results as words
def reply(call: Callable[[Any], Any]) -> Callable[[Any], str]:
    """The shape of a call's result, or the error that it raises."""

    def asked(answer: Any) -> str:
        try:
            result = call(answer)
        except Exception as error:  # which the figure shows
            return f"{type(error).__name__}: {str(error).splitlines()[0]}"
        return str(tuple(result.shape)) if isinstance(result, Tensor) else str(result)

    return asked


def memory(answer: Any) -> Any:
    """Eight queries at five keys."""
    query, keys = torch.zeros(4, 8, 32), torch.zeros(4, 5, 32)
    return answer.MultiHeadAttention(32, 4)(query, keys, keys)[0]


def itself(answer: Any) -> Any:
    """Attention of eight tokens to one another."""
    x = torch.zeros(1, 8, 32)
    result = answer.MultiHeadAttention(32, 4)(x, x, x)
    return result[0] if isinstance(result, tuple) else result


@dataclass(frozen=True)
class Comparison:
    """A computation with both answers, and the look of its results.

    Attributes:
        ask: the function that returns an answer's table of numbers or truths, or a text.
        rows: the key of the text that says what a row is.
        columns: the same of a column.
        digits: of a number.
        hue: the colour of a number by its origin; None for a heat map.
        share: whether shades are relative to the largest number of a table.
        names: of the rows; keys of the texts.
    """

    ask: Callable[[Any], Any]
    rows: str = ""
    columns: str = ""
    digits: int = 2
    hue: Callable[[int], int] | None = None
    share: bool = False
    names: tuple[str, ...] = ()


COMPARED = {
    **{
        (MASKS, bug): Comparison(masked, "query", "key")
        for bug in (
            "scores-fill-dropped",
            "scores-inverted",
            "scores-fill-dropped-and-inverted",
            "scores-boolean-added",
        )
    },
    (HEADS, "sample-mask-on-heads"): Comparison(keys_seen, "sample", "head", 0, share=True),
    (SPLIT, "merge-without-transpose"): Comparison(
        merged, "token", "feature", 0, hue=lambda n: n // 2 % 3
    ),
    (SPLIT, "split-view-without-transpose"): Comparison(
        split, "token", "feature", 0, hue=lambda n: n // 4
    ),
    (HEADS, "merge-without-transpose"): Comparison(moved_by_heads, "output", "token", share=True),
    (LAYER, "mask-not-handed-on"): Comparison(moved_by_layer, "output", "token", share=True),
    (HEADS, "no-dropout"): Comparison(all_dropped, "token", "feature", share=True),
    (LOOPS, "divided-by-the-sum"): Comparison(shares, "query", "key"),
    (LOOPS, "six-by-six"): Comparison(token_weights, "query", "key"),
    (PLAIN, "values-not-projected"): Comparison(contexts, "token", "feature", share=True),
    (HEADS, "no-value-projection"): Comparison(
        features_reached, "feature", "token-feature", share=True
    ),
    (RUN, "loss-falls"): Comparison(
        matches, "run", "verdict", names=("run-dropped", "run-working")
    ),
    (SPLIT, "split-unchecked"): Comparison(
        reply(lambda answer: answer.split_heads(torch.zeros(2, 5, 10), 3))
    ),
    (HEADS, "memory-viewed-with-query-length"): Comparison(reply(memory)),
    (HEADS, "foward"): Comparison(reply(itself)),
    (HEADS, "nothing-returned"): Comparison(reply(itself)),
    (NORM, "int-has-no-length"): Comparison(
        reply(lambda answer: answer.LayerNorm(8)(torch.zeros(2, 8)))
    ),
}


def _comparison(slug: str, bug: str, how: Comparison, right: Any, wrong: Any) -> Figure:
    """Draw both answers side by side, with the texts of the catalogue."""
    mistake = entry(slug, bug)
    if isinstance(right, str):
        page, alt = _words(right, wrong), label("mistakes", "alt-words", right=right, wrong=wrong)
    else:
        page, framed = _tables(how, right, wrong)
        names = {
            name: label("mistakes", f"axis-{getattr(how, name)}") for name in ("rows", "columns")
        }
        count, total = sum(map(sum, framed)), sum(map(len, framed))
        alt = label("mistakes", "alt", count=count, total=total, **names)
    return page.figure(mistake.title, f"{alt} {mistake.symptom}", mistake.symptom)


def _words(right: str, wrong: str) -> Drawing:
    """Draw the results or the errors of both answers as texts."""
    page = Drawing(2 * (LETTERS * 5.2 + 24))
    for at, (text, hue) in enumerate(((right, BLUE), (wrong, ORANGE))):
        lines = wrap(text, LETTERS)
        box = Box(8 + at * page.width / 2, TOP - 16, page.width / 2 - 16, LINE * 4 + 8)
        page.text(box.x, 12, label("mistakes", ("right", "got")[at]), ink=hue.dark, anchor="start")
        page.rect(box, fill=PAPER, edge=hue.dark, corner=2)
        for row, line in enumerate(lines):
            y = box.y + 10 + row * LINE
            page.text(box.x + 8, y, line, size=8, ink=INK, mono=True, anchor="start")
    return page


def _tables(how: Comparison, right: Any, wrong: Any) -> tuple[Drawing, list[list[bool]]]:
    """Draw both tables; return the page, and a mask of the wrong numbers, which have an edge."""
    tables = both_tables(how, right, wrong)
    size = (34.0 if how.digits else 26.0), HIGH
    widths = [len(table[0]) * size[0] for table in tables]
    left = LEFT + (NAMES if how.names else 0)
    page = Drawing(2 * left + sum(widths) + BETWEEN - LEFT + EDGE)
    x = left
    for at, cells in enumerate(tables):
        box = grid(page, x, TOP, cells, size)
        _labels(page, box, left, how, at)
        x = box.right + BETWEEN - LEFT + left
    middle = left + widths[0] + BETWEEN / 2 - 6
    page.line((middle, 10), (middle, page.height), ink=HAIR)
    return page, [[cell.edge != WHITE for cell in line] for line in tables[1]]


def both_tables(how: Comparison, right: Any, wrong: Any) -> tuple[list[list[Cell]], ...]:
    """The cells of the right table, and those of the wrong one, with edges where they differ."""
    tables = right.tolist(), wrong.tolist()
    return _cells(how, tables[0], None), _cells(how, tables[1], _differences(*tables))


def _labels(page: Drawing, box: Box, left: float, how: Comparison, at: int) -> None:
    """Draw the title of a table, and the names of its columns and rows."""
    title = label("mistakes", ("right", "got")[at])
    page.text(box.middle, 10, title, size=10, ink=(BLUE, ORANGE)[at].dark)
    axis_x(page, box.x, TOP - 4, box.width, label("mistakes", f"axis-{how.columns}"), size=8)
    axis_y(page, box.x - 10 - left + LEFT, TOP, box.height, label("mistakes", f"axis-{how.rows}"))
    for row, name in enumerate(how.names):
        y = TOP + (row + 0.5) * HIGH
        page.text(box.x - 6, y, label("mistakes", name), size=8.5, anchor="end")


def _differences(
    right: Sequence[Sequence[float]], wrong: Sequence[Sequence[float]]
) -> list[list[bool]]:
    """A mask of the wrong numbers that differ from the right ones in the same place."""
    return [
        [not (row < len(right) and column < len(right[row]) and _same(value, right[row][column]))
         for column, value in enumerate(line)]
        for row, line in enumerate(wrong)
    ]  # fmt: skip


def _same(first: float, second: float) -> bool:
    return math.isclose(first, second, abs_tol=1e-4)


def _cells(how: Comparison, values: Any, framed: list[list[bool]] | None) -> list[list[Cell]]:
    finite = [abs(value) for line in values for value in line if math.isfinite(value)]
    most = max(finite, default=1.0) if how.share else 1.0
    table = [[_cell(how, value, most) for value in line] for line in values]
    if framed is None:
        return table
    pairs = (zip(*lines, strict=True) for lines in zip(table, framed, strict=True))
    return [[outlined(cell) if bad else cell for cell, bad in line] for line in pairs]


def _cell(how: Comparison, value: float, most: float) -> Cell:
    if isinstance(value, bool):
        return Cell(str(value))
    if not math.isfinite(value):
        return struck(str(value))
    if how.hue:
        return hued(int(value), how.hue(int(value)))
    if value == 0:
        return struck("0")
    return heated(value, how.digits, most)
