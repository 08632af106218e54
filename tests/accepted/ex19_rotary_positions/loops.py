"""Plain Python: angles one after the other, tokens one after the other, pairs one after the other.

The contract: "Row p, column i belongs to the angle p · base^(−2i / D), in radians."
"""

import math

import torch


def rotation_table(length, head_dim, base=10_000.0):
    pairs, left_over = divmod(head_dim, 2)
    if left_over:
        raise ValueError(f"{head_dim} = 2 · {pairs} + 1")
    speeds = [math.exp(-math.log(base) * i / pairs) for i in range(pairs)]
    cos = [[math.cos(p * speed) for speed in speeds] for p in range(length)]
    sin = [[math.sin(p * speed) for speed in speeds] for p in range(length)]
    return torch.tensor(cos), torch.tensor(sin)


def turn(x, cos, sin, offset, first, second):
    if offset + x.shape[-2] > len(cos):
        raise ValueError(f"table too short: {len(cos)} < {offset + x.shape[-2]}")
    tokens = []
    for t, token in enumerate(x.unbind(-2), start=offset):
        features = [None] * x.shape[-1]
        for i, (one, other) in enumerate(zip(first, second)):
            a, b, c, s = token[..., one], token[..., other], cos[t, i], sin[t, i]
            features[one], features[other] = a * c - b * s, b * c + a * s
        tokens.append(torch.stack(features, dim=-1))
    return torch.stack(tokens, dim=-2)


def rotate_pairs(x, cos, sin, offset=0):
    D = x.shape[-1]
    return turn(x, cos, sin, offset, range(0, D, 2), range(1, D, 2))


def rotate_halves(x, cos, sin, offset=0):
    D = x.shape[-1]
    return turn(x, cos, sin, offset, range(D // 2), range(D // 2, D))


def pairs_to_halves(x):
    features = x.unbind(-1)
    return torch.stack(features[::2] + features[1::2], dim=-1)
