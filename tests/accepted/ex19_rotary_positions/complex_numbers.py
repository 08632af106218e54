"""A pair is a complex number, and to turn it is a product; all in float32.

The contract: "Numbers are right to 1e-5 of the largest of x."
"""

import torch


def rotation_table(length, head_dim, base=10_000.0):
    if head_dim % 2 != 0:
        raise ValueError(f"head_dim={head_dim} is odd")
    speeds = 1.0 / base ** (torch.arange(0, head_dim, 2)[: head_dim // 2].float() / head_dim)
    angles = torch.outer(torch.arange(length).float(), speeds)
    turns = torch.polar(torch.ones_like(angles), angles)
    return turns.real, turns.imag


def turns_of(cos, sin, offset, tokens):
    last = offset + tokens
    if last > cos.shape[0]:
        raise ValueError(f"needs {last} rows, has {cos.shape[0]}")
    return torch.complex(cos[offset:last], sin[offset:last])


def rotate_pairs(x, cos, sin, offset=0):
    z = torch.view_as_complex(x.float().reshape(*x.shape[:-1], -1, 2).contiguous())
    z = z * turns_of(cos, sin, offset, x.shape[-2])
    return torch.view_as_real(z).flatten(-2).type_as(x)


def rotate_halves(x, cos, sin, offset=0):
    half = x.shape[-1] // 2
    z = torch.complex(x[..., :half].float(), x[..., half:].float())
    z = z * turns_of(cos, sin, offset, x.shape[-2])
    return torch.cat([z.real, z.imag], dim=-1).type_as(x)


def pairs_to_halves(x):
    return x.reshape(*x.shape[:-1], -1, 2).swapaxes(-1, -2).reshape(x.shape)
