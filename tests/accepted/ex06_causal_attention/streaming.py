"""One key after the other with a running maximum, as fused kernels do; no weights are kept.

The contract: "Row t depends on the tokens 0 to t alone"
"""

import torch
from torch import nn


class CausalAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, bias=False):
        super().__init__()
        self.w_query = nn.Linear(d_in, d_out, bias=bias)
        self.w_key = nn.Linear(d_in, d_out, bias=bias)
        self.w_value = nn.Linear(d_in, d_out, bias=bias)
        self.register_buffer("mask", torch.ones(context_length, context_length).tril() > 0)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        tokens = x.size(1)
        if tokens > self.mask.size(0):
            raise ValueError(f"{tokens} tokens do not fit into a context of {self.mask.size(0)}")
        q, k, v = self.w_query(x), self.w_key(x), self.w_value(x)
        q = q / q.size(-1) ** 0.5
        top = q.new_full((len(x), tokens, 1), -1e30)
        total = torch.zeros_like(top)
        context = torch.zeros_like(q)
        for s in range(tokens):
            seen = self.mask[:tokens, s, None]
            score = (q * k[:, s, None]).sum(-1, keepdim=True).masked_fill(~seen, -1e30)
            higher = torch.maximum(top, score)
            power = (score - higher).exp().masked_fill(~seen, 0.0)
            fade = (top - higher).exp()
            total = total * fade + power
            context = context * fade + self.dropout(power) * v[:, s, None]
            top = higher
        return context / total
