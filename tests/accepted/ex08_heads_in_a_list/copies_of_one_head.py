"""Heads that are deep copies of a first one: equal at birth, and each its own.

The contract: "nn.ModuleList of H SelfAttention of exercise 03, each its own, from E to D features,
with biases."
"""

from copy import deepcopy

import torch
from torch import nn

from .ex03_self_attention import SelfAttention


class HeadsInAList(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads:
            raise ValueError(f"{d_model=}, {num_heads=}")
        first = SelfAttention(d_model, d_model // num_heads, bias=True)
        self.heads = nn.ModuleList([first, *(deepcopy(first) for _ in range(num_heads - 1))])
        self.w_out = nn.Linear(d_model, d_model)

    def forward(self, x):
        found = torch.stack([head(x) for head in self.heads], dim=2)  # (B, S, H, D)
        return self.w_out(found.reshape(x.shape))
