"""By way of (H, B, S, D), as the first implementations did it.

The contract: "head h gets the features h·D to (h+1)·D − 1."
"""

import torch


def split_heads(x, num_heads):
    if x.shape[-1] % num_heads:
        raise ValueError(f"hidden size {x.shape[-1]} vs. number of heads {num_heads}")
    together = torch.cat(torch.tensor_split(x, num_heads, dim=2), dim=0)  # (H*B, S, D)
    together = together.reshape(num_heads, x.shape[0], x.shape[1], -1)
    return together.transpose(0, 1)


def merge_heads(x):
    heads_first = x.transpose(0, 1)
    parts = [head for head in heads_first]
    return torch.concat(parts, -1)
