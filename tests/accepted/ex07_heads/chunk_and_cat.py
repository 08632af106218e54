"""Pieces stacked along a new axis; the pieces side by side again.

The contract: "head h gets the features h·D to (h+1)·D − 1."
"""

import torch


def split_heads(x, num_heads):
    if x.shape[-1] % num_heads:
        raise ValueError("%d features for %d heads" % (x.shape[-1], num_heads))
    return torch.stack(x.chunk(num_heads, dim=-1), dim=1)


def merge_heads(x):
    return torch.cat(x.unbind(1), dim=-1)
