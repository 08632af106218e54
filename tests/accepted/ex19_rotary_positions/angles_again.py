"""The angle itself, found again from its cosine and sine; slices written into a new tensor.

The contract: "row p is for position p, and column i for pair i."
"""

import torch


def rotation_table(length, head_dim, base=10_000.0):
    if head_dim != head_dim // 2 * 2:
        raise ValueError(f"D is {head_dim}")
    speeds = base ** (-torch.arange(head_dim // 2, dtype=torch.float64) * 2 / head_dim)
    turns = torch.exp(1j * torch.arange(length)[:, None] * speeds)
    return turns.real.float(), turns.imag.float()


def angles_of(x, cos, sin, offset):
    places = torch.arange(x.shape[-2], device=x.device) + offset
    if int(places[-1]) >= len(cos):
        raise ValueError(f"{len(cos)} rows for {int(places[-1]) + 1} positions")
    return torch.atan2(sin[places], cos[places]).to(x.dtype)


def rotate_pairs(x, cos, sin, offset=0):
    angles = angles_of(x, cos, sin, offset)
    out = torch.empty_like(x)
    out[..., 0::2] = x[..., 0::2] * angles.cos() - x[..., 1::2] * angles.sin()
    out[..., 1::2] = x[..., 0::2] * angles.sin() + x[..., 1::2] * angles.cos()
    return out


def rotate_halves(x, cos, sin, offset=0):
    angles = angles_of(x, cos, sin, offset)
    out, half = x.clone(), x.shape[-1] // 2
    out[..., :half] = x[..., :half] * angles.cos() - x[..., half:] * angles.sin()
    out[..., half:] = x[..., :half] * angles.sin() + x[..., half:] * angles.cos()
    return out


def pairs_to_halves(x):
    out, half = x.clone(), x.shape[-1] // 2
    out[..., :half], out[..., half:] = x[..., ::2], x[..., 1::2]
    return out
