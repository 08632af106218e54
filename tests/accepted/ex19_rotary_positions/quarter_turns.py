"""x times the cosine, and x turned by 90° times the sine; the table widened to all features.

The contract: "Each number is right to a thousandth for all positions up to 4,096."
"""

import torch


def rotation_table(length, head_dim, base=10_000.0):
    if head_dim & 1:
        raise ValueError("cannot pair up %d features" % head_dim)
    inv_freq = 1.0 / (base ** (torch.arange(0, head_dim, 2, dtype=torch.int64).float() / head_dim))
    freqs = torch.einsum("i,j->ij", torch.arange(length, dtype=torch.float32), inv_freq)
    return freqs.cos(), freqs.sin()


def rows(table, x, offset):
    stop = offset + x.shape[-2]
    if not stop <= table.shape[0]:
        raise ValueError(f"position {stop} of {table.shape[0]}")
    return table[offset:stop].to(x)


def rotate_half(x):
    x1, x2 = x[..., : x.shape[-1] // 2], x[..., x.shape[-1] // 2 :]
    return torch.cat((-x2, x1), dim=-1)


def rotate_every_two(x):
    return torch.stack((-x[..., 1::2], x[..., ::2]), dim=-1).flatten(-2)


def rotate_pairs(x, cos, sin, offset=0):
    cos, sin = (rows(each, x, offset).repeat_interleave(2, dim=-1) for each in (cos, sin))
    return x * cos + rotate_every_two(x) * sin


def rotate_halves(x, cos, sin, offset=0):
    cos, sin = (rows(each, x, offset).repeat(1, 2) for each in (cos, sin))
    return x * cos + rotate_half(x) * sin


def pairs_to_halves(x):
    return torch.cat(x.unflatten(-1, (-1, 2)).unbind(-1), dim=-1)
