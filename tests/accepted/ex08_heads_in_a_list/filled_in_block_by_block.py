"""An empty tensor whose blocks of features are filled in, one head at a time.

The contract: "The output of head h becomes the features h·D to (h+1)·D − 1 of what w_out gets"
"""

import torch
import torch.nn as nn

from .ex03_self_attention import SelfAttention


class HeadsInAList(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model // num_heads * num_heads != d_model:
            raise ValueError(f"{d_model} is no multiple of {num_heads}")
        self.d_model = d_model
        self.num_heads = num_heads
        self.head_dim = d_model // num_heads
        self.heads = nn.ModuleList([])
        self.heads.extend(SelfAttention(d_model, self.head_dim, True) for _ in range(num_heads))
        self.w_out = nn.Linear(self.head_dim * num_heads, d_model, bias=True)

    def forward(self, x):
        batch, tokens, _ = x.size()
        merged = torch.zeros(batch, tokens, self.d_model, dtype=x.dtype, device=x.device)
        for h in range(self.num_heads):
            start = h * self.head_dim
            merged[:, :, start : start + self.head_dim] = self.heads[h](x)
        return self.w_out(merged)
