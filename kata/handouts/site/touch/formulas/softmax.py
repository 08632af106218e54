"""Changes of scores and weights: the scale, the axis of the softmax, dropout."""

from collections.abc import Callable
from itertools import product

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
    without_noise,
)

NARROWEST, WIDEST = 0.5, 2.0  # a spread that is "about one"
LEAST = 1e-9  # what a sum is held above when rows are normalised again


def scale(inputs: Inputs, line: str, knobs: Knobs) -> Result:
    """Queries and keys of any width, whose entries are +1 or −1."""
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
    """The first entries of vectors whose signs are the bits of hexadecimal digits."""
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
    facts = {n: Measure({"low": float(s.min()), "high": float(s.max())}) for n, s in sums.items()}
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
    """Whether a line drops anything in this mode."""
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
    """The mean over all patterns of a row, each with its probability: exact, nothing is drawn."""
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
