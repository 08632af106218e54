"""Which feature goes where, as numbers, and one look-up.

The contract: "Features and heads are counted from 0, and the last feature named belongs to the
head."
"""

import torch


def blocks(num_heads, width, device):
    """(H, D): the features of each head."""
    first = torch.arange(num_heads, device=device) * width
    return first[:, None] + torch.arange(width, device=device)[None, :]


def split_heads(x, num_heads):
    E = x.shape[-1]
    if not E % num_heads == 0:
        raise ValueError(f"{E} / {num_heads} is not an integer")
    features = blocks(num_heads, E // num_heads, x.device)
    return x[:, :, features].swapaxes(1, 2)


def merge_heads(x):
    B, H, S, D = x.shape
    feature = torch.arange(H * D, device=x.device)
    head, place = torch.div(feature, D, rounding_mode="floor"), feature % D
    return x[:, head, :, place].permute(1, 2, 0)
