"""Masks: which line hides the future, what hides a key, and what is left if all are hidden."""

import math

import torch
from torch import Tensor

from kata.handouts.site.touch.formulas.result import (
    Inputs,
    Knobs,
    Measure,
    Result,
    chosen,
    largest,
    matrix,
    stacked,
)

HIDDEN = -math.inf


def weights(scores: Tensor, seen: Tensor, fill: float = HIDDEN) -> Tensor:
    """Softmax of scores in which keys that are not seen have the fill."""
    return scores.masked_fill(~seen, fill).softmax(dim=-1)


def triangle(size: int, ahead: int = 0) -> Tensor:
    """A mask of the keys that a query sees: its own, the earlier ones, and so many ahead."""
    return torch.ones(size, size, dtype=torch.bool).tril(ahead)


def masks(inputs: Inputs, line: str, knobs: Knobs) -> Result:
    """Six lines that look like a causal mask."""
    size = int(knobs["tokens"])
    scores, mask = matrix(inputs, "scores")[:size, :size], triangle(size)
    right = weights(scores, mask)
    lines = {
        "dropped": scores.softmax(dim=-1),
        "dropped-and-inverted": scores.softmax(dim=-1),
        "inverted": weights(scores, ~mask),
        "transposed": weights(scores, mask.mT),
        "zeroed": scores.softmax(dim=-1) * mask,
        "ahead": weights(scores, triangle(size, 1)),
    }
    return Result(stacked(right), chosen(lines, line, right), ~mask)


def fills(inputs: Inputs, line: str, knobs: Knobs) -> Result:
    """Numbers and operations that should hide a key, for scores of any size."""
    scores = matrix(inputs, "scores") * knobs["size"]
    mask = triangle(len(scores))
    right = weights(scores, mask)
    lines = {
        "boolean": (scores + mask).softmax(dim=-1),
        "zero": (scores * mask).softmax(dim=-1),
        "tiny": weights(scores, mask, 1e-9),
        "ten": weights(scores, mask, -10.0),
        "thousand": weights(scores, mask, -1000.0),
        "sign": (scores + ~mask * 1e9).softmax(dim=-1),
    }
    return Result(stacked(right), chosen(lines, line, right), ~mask)


def empty_rows(inputs: Inputs, line: str, knobs: Knobs) -> Result:
    """A causal mask over a text with padding in front: the first queries see nothing."""
    scores, padding = matrix(inputs, "scores"), int(knobs["padding"])
    mask = triangle(len(scores)) & (torch.arange(len(scores)) >= padding)
    right = weights(scores, mask).nan_to_num(0.0)  # the only NaN is that of an empty row
    if line == "half":
        return Result(stacked(right), None, ~mask)
    got = chosen(_with_empty_rows(scores, mask), line, right)
    nothing = Measure({"value": largest(got[0, :padding])}, not _any(got[0, :padding]))
    return Result(stacked(right), got, ~mask, facts={"nothing": nothing})


def _with_empty_rows(scores: Tensor, mask: Tensor) -> dict[str, Tensor]:
    kept = scores.softmax(dim=-1) * mask
    divided = kept / kept.sum(dim=-1, keepdim=True)
    return {
        "infinity": weights(scores, mask),
        "large": weights(scores, mask, -1e9),
        "divided": divided,
        "kept": torch.where(mask.any(dim=-1, keepdim=True), divided, scores.softmax(dim=-1)),
        "times": (scores + ~mask * HIDDEN).softmax(dim=-1),
    }


def _any(values: Tensor) -> bool:
    """Whether a weight is not zero; NaN is not."""
    return bool((values != 0).any())
