"""A table is made once for each width and base, the longest so far, and shared.

The contract: "Row p, column i belongs to the angle p · base^(−2i / D), in radians."
"""

import torch

tables = {}


def rotation_table(length, head_dim, base=10_000.0):
    if head_dim % 2:
        raise ValueError(f"{head_dim} is not even")
    key = head_dim, float(base)
    if key not in tables or tables[key].shape[1] < length:
        speed = torch.logspace(0, -1, head_dim // 2 + 1, base=base, dtype=torch.float64)[:-1]
        angle = torch.arange(length, dtype=torch.float64).outer(speed)
        tables[key] = torch.stack([torch.cos(angle), torch.sin(angle)]).to(torch.float32)
    return tuple(tables[key][:, :length].unbind(0))


def rotate(x, cos, sin, offset):
    """x with its pairs in a last dimension of two."""
    T = x.shape[-3]
    if offset + T > cos.shape[0]:
        raise ValueError(f"offset + T = {offset + T}, length = {cos.shape[0]}")
    (cos, sin), sign = (each[offset : offset + T, :, None].to(x.dtype) for each in (cos, sin)), -1
    return x * cos + x.flip(-1) * sin * torch.tensor([sign, 1], dtype=x.dtype, device=x.device)


def rotate_pairs(x, cos, sin, offset=0):
    return rotate(x.unflatten(-1, (-1, 2)), cos, sin, offset).reshape(x.shape)


def rotate_halves(x, cos, sin, offset=0):
    pairs = x.unflatten(-1, (2, -1)).movedim(-2, -1)
    return rotate(pairs, cos, sin, offset).movedim(-1, -2).flatten(-2)


def pairs_to_halves(x):
    return x.unflatten(-1, (-1, 2)).mT.flatten(-2)
