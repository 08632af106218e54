"""The formulas of exhibits of heads, layers and positions, in torch."""

import math

import torch
from torch import Tensor

from kata.handouts.site.exhibits.weights import (
    Inputs,
    Knobs,
    Measure,
    Result,
    chosen,
    largest,
    matrix,
    stacked,
    triangle,
    weights,
    without_noise,
)

RIGHT_TO = 0.01  # what the contract of the norm promises
BASE = 10_000.0


def split(inputs: Inputs, line: str, knobs: Knobs) -> Result:
    """Tokens of six features, taken apart into heads; a number is its token and its feature."""
    tokens, features, heads = inputs["tokens"], inputs["features"], int(knobs["heads"])
    width = features // heads
    x = torch.arange(tokens)[:, None] * 10 + torch.arange(features)
    right = x.reshape(tokens, heads, width).transpose(0, 1)
    lines = {
        "view": x.reshape(heads, tokens, width),
        "interleaved": x.reshape(tokens, width, heads).permute(2, 0, 1),
        "early": x.T.reshape(heads, tokens, width),
        "exchanged": x.reshape(tokens, width, heads).transpose(0, 1),
        "overlapping": x.unfold(1, width, 1)[:, :heads].transpose(0, 1),
    }
    got = chosen(lines, line, right)
    facts = {
        "shape": _shape(got, right),
        "tokens": _mixed((got // 10).flatten(end_dim=1)),
        "features": _foreign(got % 10 // width, torch.arange(len(got))[:, None, None]),
        "lost": _lost(got, right),
    }
    return Result(right, got, operand=stacked(x), hue=lambda n: n % 10 // width, facts=facts)


def merge(inputs: Inputs, line: str, knobs: Knobs) -> Result:
    """Heads put side by side; a number is its head, its token and its feature."""
    heads, tokens, width = int(knobs["heads"]), int(knobs["tokens"]), inputs["width"]
    places = torch.arange(heads) * 100, torch.arange(tokens) * 10, torch.arange(width)
    x = places[0][:, None, None] + places[1][:, None] + places[2]
    right = x.transpose(0, 1).flatten(start_dim=1)
    lines = {
        "untransposed": x.reshape(tokens, heads * width),
        "wrong-pair": x.transpose(1, 2).reshape(tokens, heads * width),
        "interleaved": x.permute(1, 2, 0).flatten(start_dim=1),
        "reversed": x.flip(0).transpose(0, 1).flatten(start_dim=1),
        "stacked": x.flatten(end_dim=1),
    }
    got = chosen(lines, line, right)
    own = torch.arange(got.size(1))[:, None]
    later = int((got[0] // 10 % 10 > own).sum())
    facts = {
        "shape": _shape(got[0], right),
        "tokens": _mixed(got[0] // 10 % 10),
        "later": Measure({"value": later}, later == 0),
        "lost": _lost(got, right),
    }
    return Result(stacked(right), got, operand=x, hue=lambda n: n // 100, facts=facts)


def fused(inputs: Inputs, line: str, knobs: Knobs) -> Result:
    """One token's row of queries, keys and values; a number is its kind, head and feature."""
    heads, width = int(knobs["heads"]), inputs["width"]
    kinds, places = torch.arange(3) * 100, torch.arange(heads) * 10
    right = kinds[:, None, None] + places[:, None] + torch.arange(width)
    in_blocks, per_head = right.flatten(), right.transpose(0, 1).flatten()
    row = per_head if line == "heads-as-blocks" else in_blocks
    lines = {
        "blocks-as-heads": row.view(heads, 3, width).transpose(0, 1),
        "heads-as-blocks": row.view(3, heads, width),
        "thirds": row.view(heads, width, 3).permute(2, 0, 1),
        "keys-first": right[[1, 0, 2]],
        "values-second": right[[0, 2, 1]],
    }
    got = chosen(lines, line, right)
    facts = {
        "kinds": _foreign(got // 100, torch.arange(3)[:, None, None]),
        "heads": _foreign(got // 10 % 10, torch.arange(heads)[:, None]),
        "lost": _lost(got, right),
    }
    operand = row.view(1, 3, heads * width)
    return Result(right, got, operand=operand, hue=lambda n: n // 100, facts=facts)


def _shape(got: Tensor, right: Tensor) -> Measure:
    return Measure({"shape": str(tuple(got.shape))}, got.shape == right.shape)


def _mixed(rows: Tensor) -> Measure:
    """The count of rows that hold numbers of several tokens."""
    mixed = int((rows != rows[:, :1]).any(dim=-1).sum())
    return Measure({"value": mixed}, mixed == 0)


def _foreign(origin: Tensor, home: Tensor) -> Measure:
    """The count of numbers that come from elsewhere."""
    foreign = int((origin != home).sum())
    return Measure({"value": foreign}, foreign == 0)


def _lost(got: Tensor, right: Tensor) -> Measure:
    """The count of numbers that are nowhere."""
    lost = len(set(right.flatten().tolist()) - set(got.flatten().tolist()))
    return Measure({"value": lost}, lost == 0)


def norm(inputs: Inputs, line: str, knobs: Knobs) -> Result:
    """Three tokens of six features, one of them all zeros, brought to mean 0 and variance 1."""
    x, eps = matrix(inputs, "x") * knobs["scale"], float(knobs["eps"])
    away, variance = _statistics(x, -1)
    right = away / (variance + eps).sqrt()
    away_in_column, column_variance = _statistics(x, 0)
    unbiased = x.var(dim=-1, keepdim=True)
    lines = {
        "unbiased": away / (unbiased + eps).sqrt(),
        "outside": away / (variance.sqrt() + eps),
        "tutorial": away / (unbiased.sqrt() + eps),
        "none": away / variance.sqrt(),
        "variance": away / (variance + eps),
        "tokens": away_in_column / (column_variance + eps).sqrt(),
        "everything": (x - x.mean()) / (x.var(correction=0) + eps).sqrt(),
    }
    got = chosen(lines, line, right)
    return Result(stacked(right), got, facts=_row_measures(got[0], right))


def _statistics(x: Tensor, dim: int) -> tuple[Tensor, Tensor]:
    """The distances from the mean along a dimension, and the variance."""
    return x - x.mean(dim=dim, keepdim=True), x.var(dim=dim, correction=0, keepdim=True)


def _row_measures(got: Tensor, right: Tensor) -> dict[str, Measure]:
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
    """The shares behind all layers: half of a layer's output is its input, half what it reads."""
    reach = torch.eye(scores.size(-1), dtype=torch.float64)
    for layer, mask in zip(scores, seen, strict=True):
        reach = (reach + weights(layer, mask).nan_to_num(0.0) @ reach) / 2
    return reach


def positions(inputs: Inputs, line: str, knobs: Knobs) -> Result:
    """Queries and keys of five words, of which two are the same, at any place in a text."""
    offset = int(knobs["offset"])
    right, got = (_attended(inputs, name, offset) for name in ("right", line))
    moved = without_noise(largest(got - _attended(inputs, line, 0)))
    first, second = inputs["twice"]
    apart = without_noise(largest(got[first] - got[second]))
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
    keys = key if line == "queries" else _turned(key, of_keys, line)
    scores = _turned(query, of_queries, line) @ keys.mT
    return (scores / math.sqrt(query.size(-1))).softmax(dim=-1)


def _turned(x: Tensor, places: Tensor, line: str) -> Tensor:
    """The features, every pair turned by the angle of its place, or as a line does instead."""
    width = x.size(-1)
    angles = places[:, None] * BASE ** -(torch.arange(0, width, 2, dtype=torch.float64) / width)
    cos, sin = angles.cos(), angles.sin()
    a, b = x.chunk(2, dim=-1) if line == "halves" else (x[:, 0::2], x[:, 1::2])
    turned = (a + cos, b + sin) if line == "added" else (a * cos - b * sin, a * sin + b * cos)
    return torch.stack(turned, dim=-1).flatten(-2)
