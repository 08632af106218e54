"""What is hidden is a buffer, known as `mask` too; the projections stand in a list besides.

The contract: "with the same names in `state_dict()`, which may have further ones"
"""

import torch
from torch import nn


class CausalAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, bias=False):
        super().__init__()
        names = ("w_query", "w_key", "w_value")
        self.projections = nn.ModuleList(nn.Linear(d_in, d_out, bias=bias) for _ in names)
        for name, linear in zip(names, self.projections):
            setattr(self, name, linear)
        later = torch.ones(context_length, context_length, dtype=torch.bool).triu(diagonal=1)
        self.register_buffer("hidden", later)
        self.register_buffer("mask", self.hidden)
        self.weigh = nn.Sequential(nn.Softmax(dim=-1), nn.Dropout(dropout))

    def forward(self, x):
        tokens = x.shape[1]
        if tokens > len(self.hidden):
            raise ValueError(f"{tokens} tokens, but at most {len(self.hidden)} are allowed")
        q, k, v = (linear(x) for linear in self.projections)
        scores = q @ k.mT / q.shape[-1] ** 0.5
        hidden = self.hidden[:tokens, :tokens]
        return self.weigh(torch.where(hidden, -torch.inf, scores)) @ v
