"""A matrix for each position, as the paper writes it, and one product.

The contract: "Feature 2i becomes a · cos − b · sin, and feature 2i + 1 becomes a · sin + b · cos."
"""

import torch


def rotation_table(length, head_dim, base=10_000.0):
    if head_dim % 2 == 1:
        raise ValueError(f"an even number of features is needed, got {head_dim}")
    pair = torch.arange(head_dim // 2).double()
    speed = torch.pow(torch.tensor(base).double(), -2 * pair / head_dim)
    angle = torch.arange(length).double().unsqueeze(1) @ speed.unsqueeze(0)
    return angle.cos().to(torch.float32), angle.sin().to(torch.float32)


def turning(x, cos, sin, offset, first, second):
    """(T, D, D): what to multiply each token with."""
    T, D = x.shape[-2:]
    if len(cos) - offset < T:
        raise ValueError(f"{T} tokens from {offset} on need {offset + T} rows, not {len(cos)}")
    matrix = torch.zeros(T, D, D, dtype=x.dtype, device=x.device)
    c, s = (each[offset : offset + T].to(x.dtype) for each in (cos, sin))
    matrix[:, first, first] = c
    matrix[:, first, second] = -s
    matrix[:, second, first] = s
    matrix[:, second, second] = c
    return matrix


def rotate_pairs(x, cos, sin, offset=0):
    first = torch.arange(0, x.shape[-1], 2)
    return torch.einsum("tij,...tj->...ti", turning(x, cos, sin, offset, first, first + 1), x)


def rotate_halves(x, cos, sin, offset=0):
    first = torch.arange(x.shape[-1] // 2)
    matrix = turning(x, cos, sin, offset, first, first + x.shape[-1] // 2)
    return (matrix @ x.unsqueeze(-1)).squeeze(-1)


def pairs_to_halves(x):
    D = x.shape[-1]
    return x[..., [2 * i % D + 2 * i // D for i in range(D)]]
