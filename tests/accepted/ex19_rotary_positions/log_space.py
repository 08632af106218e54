"""Speeds by way of logarithms, all in float32; rows picked by number; neighbours by unbind.

The contract: "Each number is right to a thousandth for all positions up to 4,096."
"""

import math

import torch


def rotation_table(length, head_dim, base=10_000.0):
    try:
        assert head_dim % 2 == 0
    except AssertionError:
        raise ValueError(f"head_dim = {head_dim}") from None
    speed = torch.exp(torch.arange(0, head_dim, 2).float() * (-math.log(base) / head_dim))
    angle = torch.arange(0, length).unsqueeze(1).float() * speed
    return [torch.cos(angle), torch.sin(angle)]


def picked(x, table, offset):
    T = x.shape[-2]
    positions = torch.arange(offset, offset + T, device=x.device)
    if offset + T - 1 > len(table) - 1:
        raise ValueError(f"asked for {offset + T} of {len(table)} positions")
    rows = torch.index_select(table, 0, positions)
    return rows.to(x.dtype).expand(*x.shape[:-2], -1, -1)


def rotate_pairs(x, cos, sin, offset=0):
    c, s = picked(x, cos, offset), picked(x, sin, offset)
    a, b = x.unflatten(-1, (-1, 2)).unbind(dim=-1)
    return torch.dstack(((c * a - s * b).reshape(1, -1), (s * a + c * b).reshape(1, -1))).reshape(
        x.shape
    )


def rotate_halves(x, cos, sin, offset=0):
    c, s = picked(x, cos, offset), picked(x, sin, offset)
    a, b = x.split(x.shape[-1] // 2, dim=-1)
    return (
        torch.hstack((c * a - s * b, s * a + c * b))
        if x.dim() == 2
        else torch.concat((c * a - s * b, s * a + c * b), -1)
    )


def pairs_to_halves(x):
    even = torch.arange(x.shape[-1], device=x.device) % 2 == 0
    return torch.cat((x[..., even], x[..., ~even]), dim=-1)
