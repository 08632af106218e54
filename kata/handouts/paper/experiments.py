"""The experiments of the poster: what right and wrong answers compute."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from kata.handouts.figures.answers import filled, moved, reached, right, tensor
from kata.handouts.figures.shapes import Cell, heated, hued, outlined, struck
from kata.palette import MUTED

MASKS, HEADS, LAYER = "ex05_causal_masks", "ex09_multi_head_attention", "ex14_encoder_layer"
LOOPS, SPLIT, PLAIN, NORM = (
    "ex02_attention_scores",
    "ex07_heads",
    "ex03_self_attention",
    "ex12_layer_norm",
)
# Of most tables: two stand beside each other, with digits that are read from a metre.
SIZE = 4
QUERIES, KEYS = 8, 5  # tokens of a query, and of a memory
FEATURES, HEAD_COUNT = 10, 3  # features, and the heads that they are split into


# ---- numbers that an answer gives
def masked(answer: Any) -> Any:
    """The weights of queries under a causal mask."""
    mask = right(MASKS).causal_mask(SIZE)
    return answer.mask_scores(tensor(5, SIZE, SIZE), mask).softmax(dim=-1)


def keys_seen(answer: Any) -> Any:
    """Return how many keys every head sees; the four samples have 8, 6, 4 and 2 tokens."""
    model, x = filled(answer.MultiHeadAttention(8, 4), 1), tensor(2, 4, 8, 8)
    mask = right(MASKS).padding_mask(torch.tensor([8, 6, 4, 2]), 8).expand(4, 8, 8)
    return (model(x, x, x, mask)[1][:, :, 0] > 0).sum(dim=-1)


def merged(answer: Any) -> Any:
    """Three tokens of two heads, numbered head by head and token by token."""
    return answer.merge_heads(torch.arange(12).view(1, 2, 3, 2))[0]


def moved_by_layer(answer: Any) -> Tensor:
    """Return how far every output of an encoder layer moves with a token, under a causal mask."""
    layer = answer.EncoderLayer(6, 3, 12).double().eval()
    filled(layer.attention, 7, 0.5)
    filled(layer.feed_forward, 2, 0.5)
    return moved(lambda x: layer(x, right(MASKS).causal_mask(SIZE)), tensor(3, 1, SIZE, 6))


def used_in_training(answer: Any) -> Tensor:
    """The weights that reach the values if all are dropped: values and outputs are their places."""
    model, unit = filled(answer.MultiHeadAttention(SIZE, 1, dropout=1.0), 7), torch.eye(SIZE)
    model.train()
    for layer in (model.w_value, model.w_out):
        layer.weight.copy_(unit)
        layer.bias.zero_()
    x = unit[None].double()
    output: Tensor = model(x, x, x)[0][0]
    return output


def shares(answer: Any) -> Any:
    """The weights of three lines of scores."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return answer.attention_weights(
            np.array([[2.0, 1.0, 1.0], [1.0, -1.0, 2.0], [1.0, -1.0, 0.0]])
        )


def token_weights(answer: Any) -> Any:
    """The weights of two tokens on each other: the wrong answer's table is larger."""
    tokens = tensor(4, 2, 3).numpy()
    return answer.attention_weights(answer.attention_scores(tokens, tokens))


def contexts(answer: Any) -> Any:
    """Three tokens of four features, read with weights that give two."""
    weights = [tensor(seed, 4, 2, spread=0.5) for seed in (11, 12, 13)]
    return answer.self_attention(tensor(10, 3, 4), *weights)


def features_reached(answer: Any) -> Tensor:
    """Return how far every feature of the heads (rows) moves with one of a token (columns)."""
    model = filled(answer.MultiHeadAttention(SIZE, 2), 3, digits=4)
    return reached(model, lambda x: model(x, x, x)[0])


# ---- results as words
def reply(call: Callable[[Any], Any]) -> Callable[[Any], str]:
    """The shape of a call's result, or the error that it raises."""

    def text(answer: Any) -> str:
        try:
            result = call(answer)
        # The card quotes it.
        except Exception as error:
            return f"{type(error).__name__}: {str(error).splitlines()[0]}"
        return str(tuple(result.shape)) if isinstance(result, Tensor) else str(result)

    return text


def memory(answer: Any) -> Any:
    """Attention of a query to a memory of another length."""
    query, keys = torch.zeros(4, QUERIES, 32), torch.zeros(4, KEYS, 32)
    return answer.MultiHeadAttention(32, 4)(query, keys, keys)[0]


def attention_to_itself(answer: Any) -> Any:
    """Attention of eight tokens to one another."""
    x = torch.zeros(1, 8, 32)
    result = answer.MultiHeadAttention(32, 4)(x, x, x)
    return result[0] if isinstance(result, tuple) else result


def residual_sum(answer: Any) -> Any:
    """The output of attention added to its input."""
    return torch.zeros(1, 8, 32) + attention_to_itself(answer)


@dataclass(frozen=True)
class Comparison:
    """A computation with both answers, and the look of its results.

    Attributes:
        ask: the function that returns an answer's table of numbers, or a text.
        digits: of a number.
        hue: the colour of a number by its origin; None for a heat map.
        share: whether shades are relative to the largest number of a table.
    """

    ask: Callable[[Any], Any]
    digits: int = 2
    hue: Callable[[int], int] | None = None
    share: bool = False


COMPARED = {
    (MASKS, "scores-fill-dropped"): Comparison(masked),
    (MASKS, "scores-inverted"): Comparison(masked),
    (MASKS, "scores-fill-dropped-and-inverted"): Comparison(masked),
    (MASKS, "scores-boolean-added"): Comparison(masked),
    (HEADS, "sample-mask-on-heads"): Comparison(keys_seen, digits=0, share=True),
    (SPLIT, "merge-without-transpose"): Comparison(merged, hue=lambda n: n // 2 % 3),
    (LAYER, "mask-not-handed-on"): Comparison(moved_by_layer, share=True),
    (HEADS, "no-dropout"): Comparison(used_in_training),
    (LOOPS, "divided-by-the-sum"): Comparison(shares),
    (LOOPS, "six-by-six"): Comparison(token_weights),
    (PLAIN, "values-not-projected"): Comparison(contexts, share=True),
    (HEADS, "no-value-projection"): Comparison(features_reached, share=True),
    (SPLIT, "split-unchecked"): Comparison(
        reply(lambda answer: answer.split_heads(torch.zeros(2, 5, FEATURES), HEAD_COUNT))
    ),
    (HEADS, "memory-viewed-with-query-length"): Comparison(reply(memory)),
    (HEADS, "foward"): Comparison(reply(attention_to_itself)),
    (HEADS, "nothing-returned"): Comparison(reply(attention_to_itself)),
    (NORM, "int-has-no-length"): Comparison(
        reply(lambda answer: answer.LayerNorm(8)(torch.zeros(2, 8)))
    ),
}


def both_tables(comparison: Comparison, right: Any, wrong: Any) -> tuple[list[list[Cell]], ...]:
    """The cells of the right table, and those of the wrong one, with edges where they differ."""
    tables = right.tolist(), wrong.tolist()
    return _cells(comparison, tables[0], None), _cells(comparison, tables[1], _differences(*tables))


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


def _cells(
    comparison: Comparison, values: Any, framed: list[list[bool]] | None
) -> list[list[Cell]]:
    finite = [abs(value) for line in values for value in line if math.isfinite(value)]
    most = max(finite, default=1.0) if comparison.share else 1.0
    table = [[_cell(comparison, value, most) for value in line] for line in values]
    if framed is None:
        return table
    pairs = (zip(*lines, strict=True) for lines in zip(table, framed, strict=True))
    return [[outlined(cell) if bad else cell for cell, bad in line] for line in pairs]


def _cell(comparison: Comparison, value: float, most: float) -> Cell:
    if not math.isfinite(value):
        return Cell(str(value), ink=MUTED)
    if comparison.hue:
        return hued(int(value), comparison.hue(int(value)))
    if value == 0:
        return struck("0")
    return heated(value, comparison.digits, most)
