"""Rotary positions, for queries and keys of the shape (B, H, T, D)."""

import torch
from torch import Tensor


def rotation_table(length: int, head_dim: int, base: float = 10_000.0) -> tuple[Tensor, Tensor]:
    """Give the cosines and sines of all angles."""
    frequencies = 1.0 / base ** (torch.arange(0, head_dim, 2).float() / head_dim)
    angles = torch.outer(torch.arange(length).float(), frequencies)
    return torch.cos(angles), torch.sin(angles)


def rotate_pairs(x: Tensor, cos: Tensor, sin: Tensor, offset: int = 0) -> Tensor:
    """Turn neighbours."""
    batch, heads, length, width = x.shape
    cos, sin = cos[offset : offset + length], sin[offset : offset + length]
    a, b = x[..., 0::2], x[..., 1::2]
    turned = torch.stack((a * cos - b * sin, a * sin + b * cos), dim=-1)
    return turned.view(batch, heads, length, width)


def rotate_halves(x: Tensor, cos: Tensor, sin: Tensor, offset: int = 0) -> Tensor:
    """Turn features that are half a head apart."""
    _, _, length, _ = x.shape
    cos, sin = cos[offset : offset + length], sin[offset : offset + length]
    cos, sin = torch.cat((cos, cos), dim=-1), torch.cat((sin, sin), dim=-1)
    first, second = x.chunk(2, dim=-1)
    return x * cos + torch.cat((-second, first), dim=-1) * sin


def pairs_to_halves(x: Tensor) -> Tensor:
    """Put the even features first."""
    return torch.cat((x[..., 0::2], x[..., 1::2]), dim=-1)
