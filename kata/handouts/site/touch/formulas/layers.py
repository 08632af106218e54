"""The norm, a leak through layers, and positions."""

import math

import torch
from torch import Tensor

from kata.handouts.site.touch.formulas.masks import triangle, weights
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

RIGHT_TO = 0.01  # what the contract of the norm promises
BASE = 10_000.0


def norm(inputs: Inputs, line: str, knobs: Knobs) -> Result:
    """Three tokens of six features, one of them all zeros, brought to mean 0 and variance 1."""
    x, eps = matrix(inputs, "x") * knobs["scale"], float(knobs["eps"])
    away, variance = _statistics(x, -1)
    right = away / (variance + eps).sqrt()
    across, of_feature = _statistics(x, 0)
    more = x.var(dim=-1, keepdim=True)  # the unbiased one
    lines = {
        "unbiased": away / (more + eps).sqrt(),
        "outside": away / (variance.sqrt() + eps),
        "tutorial": away / (more.sqrt() + eps),
        "none": away / variance.sqrt(),
        "variance": away / (variance + eps),
        "tokens": across / (of_feature + eps).sqrt(),
        "everything": (x - x.mean()) / (x.var(correction=0) + eps).sqrt(),
    }
    got = chosen(lines, line, right)
    return Result(stacked(right), got, facts=_of_rows(got[0], right))


def _statistics(x: Tensor, dim: int) -> tuple[Tensor, Tensor]:
    """The distances from the mean along a dimension, and the variance."""
    return x - x.mean(dim=dim, keepdim=True), x.var(dim=dim, correction=0, keepdim=True)


def _of_rows(got: Tensor, right: Tensor) -> dict[str, Measure]:
    mean = without_noise(largest(got.mean(dim=-1)))
    apart = without_noise(largest(got - right))
    spreads = got.var(dim=-1, correction=0)
    finite = spreads[spreads.isfinite()]
    return {
        "mean": Measure({"value": mean}, mean == 0),
        "variance": Measure({"low": float(finite.min()), "high": float(finite.max())}),
        "apart": Measure({"value": apart}, apart <= RIGHT_TO),
    }


def leak(inputs: Inputs, line: str, knobs: Knobs) -> Result:
    """The shares of tokens that reach outputs through layers with a residual connection."""
    scores = matrix(inputs, "scores")[: int(knobs["layers"])]
    seen = [_seen(line, at, len(scores), scores.size(-1)) for at in range(len(scores))]
    right = _through(scores, [triangle(scores.size(-1))] * len(scores))
    got = _through(scores, seen)
    later = got[0, 1:]
    count = int((later > 0).sum())
    first = Measure({"value": float(later.sum()), "count": count}, count == 0)
    hidden = ~triangle(scores.size(-1))
    return Result(stacked(right), stacked(got), hidden, facts={"first": first})


def _seen(line: str, at: int, layers: int, size: int) -> Tensor:
    """A mask of the keys that the queries of one layer see."""
    mask, everything = triangle(size), torch.ones(size, size, dtype=torch.bool)
    if line == "alternating":
        return ~mask if at % 2 else mask
    if line == "ahead":
        return triangle(size, 1)
    masked = {"first": at == 0, "last": at == layers - 1, "none": False}
    return mask if masked.get(line, True) else everything


def _through(scores: Tensor, seen: list[Tensor]) -> Tensor:
    """Half of what a layer gives is its input, half is what its queries read."""
    reach = torch.eye(scores.size(-1), dtype=torch.float64)
    for layer, mask in zip(scores, seen, strict=True):
        reach = (reach + weights(layer, mask).nan_to_num(0.0) @ reach) / 2
    return reach


def positions(inputs: Inputs, line: str, knobs: Knobs) -> Result:
    """Queries and keys of five words, one of them there twice, at any place in a text."""
    offset = int(knobs["offset"])
    right, got = (_attended(inputs, name, offset) for name in ("right", line))
    moved = without_noise(largest(got - _attended(inputs, line, 0)))
    one, other = inputs["twice"]
    apart = without_noise(largest(got[one] - got[other]))
    facts = {
        "moved": Measure({"value": moved}, moved == 0),
        "order": Measure({"value": apart}, apart > 0),
    }
    return Result(stacked(right), stacked(got), facts=facts)


def _attended(inputs: Inputs, line: str, offset: int) -> Tensor:
    """Weights when the first word stands at this position."""
    query, key = matrix(inputs, "query"), matrix(inputs, "key")
    places = torch.arange(len(query), dtype=torch.float64)
    of_keys = places + offset
    of_queries = places if line == "forgotten" else of_keys
    if line == "alike":
        of_queries = of_keys = torch.full_like(places, offset)
    if line == "back":
        of_queries, of_keys = -of_queries, -of_keys
    one, other = _turned(query, of_queries, line), _turned(key, of_keys, line)
    scores = one @ (key if line == "queries" else other).mT
    return (scores / math.sqrt(query.size(-1))).softmax(dim=-1)


def _turned(x: Tensor, places: Tensor, line: str) -> Tensor:
    """Every pair of features turned by the angle of its place, or what a line does instead."""
    width = x.size(-1)
    angles = places[:, None] * BASE ** -(torch.arange(0, width, 2, dtype=torch.float64) / width)
    cos, sin = angles.cos(), angles.sin()
    a, b = x.chunk(2, dim=-1) if line == "halves" else (x[:, 0::2], x[:, 1::2])
    turned = (a + cos, b + sin) if line == "added" else (a * cos - b * sin, a * sin + b * cos)
    return torch.stack(turned, dim=-1).flatten(-2)
