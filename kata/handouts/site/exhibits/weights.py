"""The formulas of exhibits of scores, weights and masks, in torch."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import product
from typing import Any

import torch
from torch import Tensor

CLOSE = 1e-9  # two sums of the same numbers in another order
Lines = Mapping[str, Tensor]
Inputs = Mapping[str, Any]
Knobs = Mapping[str, Any]
HIDDEN = -math.inf
NARROWEST, WIDEST = 0.5, 2.0  # a spread that is "about one"
LEAST = 1e-9  # of a sum when rows are normalised again


@dataclass(frozen=True)
class Measure:
    """The numbers of a fact, and whether its claim holds; None if it claims nothing."""

    numbers: Mapping[str, float | str]
    holds: bool | None = None


@dataclass(frozen=True)
class Result:
    """The maps and the measures of one state of an exhibit.

    Attributes:
        right: the right map, (blocks, rows, columns).
        got: the map of the chosen line; None if the line raises an error.
        hidden: bool (rows, columns), the keys that a query may not see.
        operand: the input of the line, where that has a map of its own.
        hue: the colour of a number by its origin; None for a heat map.
        facts: the measures of this exhibit alone.
    """

    right: Tensor
    got: Tensor | None
    hidden: Tensor | None = None
    operand: Tensor | None = None
    hue: Callable[[int], int] | None = None
    facts: Mapping[str, Measure] = field(default_factory=dict)

    @property
    def groups(self) -> dict[str, Tensor]:
        """The maps that there are, by the names of their groups on the page."""
        maps = {"given": self.operand, "right": self.right, "got": self.got}
        return {name: values for name, values in maps.items() if values is not None}


Formula = Callable[[Inputs, str, Knobs], Result]


def stacked(values: Tensor) -> Tensor:
    """The values with a dimension for blocks, if they had none."""
    return values if values.dim() == 3 else values[None]


def chosen(lines: Lines, line: str, right: Tensor) -> Tensor:
    """The map of a line."""
    return stacked({**lines, "right": right}[line])


def matrix(inputs: Inputs, name: str) -> Tensor:
    """One of the inputs."""
    return torch.tensor(inputs[name], dtype=torch.float64)


def largest(values: Tensor) -> float:
    """The largest magnitude; 0 if there are no numbers, NaN if one of them is."""
    return float(values.abs().max()) if values.numel() else 0.0


def without_noise(value: float) -> float:
    """The value, or zero if it is no more than what rounding leaves."""
    return 0.0 if value < CLOSE else value


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
    empty = got[0, :padding]
    nothing = Measure({"value": largest(empty)}, bool((empty == 0).all()))  # NaN is not 0
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


def scale(inputs: Inputs, line: str, knobs: Knobs) -> Result:
    """Queries and keys of any width; all entries are +1 or −1."""
    width = int(knobs["width"])
    query, key = (signs(inputs[name], width) for name in ("query", "key"))
    product, root = query @ key.mT, width**0.5
    scores = {
        "none": product,
        "width": product / width,
        "multiplied": product * root,
        "half": product / (width**1 / 2),
        "right": product / root,
    }
    right, got = scores["right"].softmax(dim=-1), scores[line].softmax(dim=-1)
    return Result(stacked(right), stacked(got), facts=_saturation(scores[line], got))


def signs(rows: list[str], width: int) -> Tensor:
    """The first entries of vectors; the bits of hexadecimal digits are their signs."""
    bits = [[int(bit) for digit in row for bit in f"{int(digit, 16):04b}"] for row in rows]
    return torch.tensor(bits, dtype=torch.float64)[:, :width] * 2 - 1


def _saturation(scores: Tensor, weights: Tensor) -> dict[str, Measure]:
    spread = float(scores.std(correction=0))
    return {
        "spread": Measure({"value": spread}, NARROWEST <= spread <= WIDEST),
        "winner": Measure({"value": float(weights.amax(dim=-1).mean())}),
        "slope": Measure({"value": float((weights * (1 - weights)).max())}),
    }


def axis(inputs: Inputs, line: str, knobs: Knobs) -> Result:
    """The scores of one to three heads, and the axes that a softmax can take."""
    scores = matrix(inputs, "scores")[: int(knobs["heads"])]
    right = scores.softmax(dim=-1)
    lines = {
        "queries": scores.softmax(dim=-2),
        "heads": scores.softmax(dim=0),
        "everything": scores.flatten(-2).softmax(dim=-1).view_as(scores),
        "sigmoid": scores.sigmoid(),
        "twice": right.softmax(dim=-1),
    }
    got = chosen(lines, line, right)
    sums = {"keys": got.sum(dim=-2), "heads": got.sum(dim=0)}
    facts = {
        name: Measure({"low": float(values.min()), "high": float(values.max())})
        for name, values in sums.items()
    }
    return Result(right, got, facts=facts)


def dropout(inputs: Inputs, line: str, knobs: Knobs) -> Result:
    """Weights with a fixed pattern of what is dropped."""
    p, training = float(knobs["p"]), knobs["mode"] == "training"
    scores, drawn = matrix(inputs, "scores"), matrix(inputs, "drawn")
    weights = scores.softmax(dim=-1)
    kept = drawn >= (1 - p if line == "share" else p)

    def answer(kept: Tensor, training: bool, line: str = line) -> Tensor:
        return _dropped(line, scores, kept, p) if _drops(line, training) else weights

    got = answer(kept, training)
    right = answer(drawn >= p, training, "right")
    gone = ~kept if training and _drops(line, True) else torch.zeros_like(kept)
    facts = {
        "gone": Measure({"value": largest(got[gone])}, largest(got[gone]) == 0),
        "average": _moved(_average(lambda pattern: answer(pattern, training), line, p), weights),
        "evaluation": _moved(answer(kept, False), weights),
    }
    return Result(stacked(right), stacked(got), facts=facts)


def _drops(line: str, training: bool) -> bool:
    return {"always": True, "inverted": not training}.get(line, training)


def _dropped(line: str, scores: Tensor, kept: Tensor, p: float) -> Tensor:
    """The weights where dropout is at work."""
    if line == "scores":
        return (scores * kept / (1 - p)).softmax(dim=-1)
    left = scores.softmax(dim=-1) * kept
    if line == "share":
        return left / p if p else left
    if line == "unscaled":
        return left
    if line == "normalised":
        return left / (1 - p) / (left / (1 - p)).sum(dim=-1, keepdim=True).clamp(min=LEAST)
    return left / (1 - p)


def _average(answer: Callable[[Tensor], Tensor], line: str, p: float) -> Tensor:
    """The mean over all patterns of a row by their probabilities: exact, as nothing is drawn."""
    keep = p if line == "share" else 1 - p
    patterns = [torch.tensor(drops) for drops in product([False, True], repeat=5)]
    shares = (
        keep ** int(pattern.sum()) * (1 - keep) ** int((~pattern).sum()) for pattern in patterns
    )
    return torch.stack(
        [share * answer(pattern) for share, pattern in zip(shares, patterns, strict=True)]
    ).sum(dim=0)


def _moved(values: Tensor, weights: Tensor) -> Measure:
    apart = without_noise(largest(values - weights))
    return Measure({"value": apart}, apart == 0)
