"""Where numbers go when heads are split, merged, or read out of a fused projection.

Each number tells where it comes from, digit by digit, so that a wrong place can be read.
"""

import torch
from torch import Tensor

from kata.handouts.site.touch.formulas.result import (
    Inputs,
    Knobs,
    Measure,
    Result,
    chosen,
    stacked,
)


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
    """A count of the rows that hold numbers of several tokens."""
    mixed = int((rows != rows[:, :1]).any(dim=-1).sum())
    return Measure({"value": mixed}, mixed == 0)


def _foreign(origin: Tensor, home: Tensor) -> Measure:
    """A count of the numbers that come from elsewhere."""
    foreign = int((origin != home).sum())
    return Measure({"value": foreign}, foreign == 0)


def _lost(got: Tensor, right: Tensor) -> Measure:
    """A count of the numbers that are nowhere."""
    lost = len(set(right.flatten().tolist()) - set(got.flatten().tolist()))
    return Measure({"value": lost}, lost == 0)
