"""One query after the other, each with its own prefix; dropout thrown by hand.

The contract: "Row t depends on the tokens 0 to t alone"
"""

import torch
from torch import nn

from .ex05_causal_masks import causal_mask


class CausalAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, bias=False):
        super().__init__()
        self.w_query = nn.Linear(d_in, d_out, bias=bias)
        self.w_key = nn.Linear(d_in, d_out, bias=bias)
        self.w_value = nn.Linear(d_in, d_out, bias=bias)
        self.register_buffer("mask", causal_mask(context_length))
        self.share = dropout

    def thinned(self, weights):
        if not self.training or self.share == 0:
            return weights
        if self.share == 1:
            return weights * 0
        return (
            weights * torch.bernoulli(torch.full_like(weights, 1 - self.share)) / (1 - self.share)
        )

    def forward(self, x):
        tokens = x.shape[1]
        if tokens > self.mask.shape[0]:
            raise ValueError(f"{tokens} > {self.mask.shape[0]}")
        q, k, v = self.w_query(x), self.w_key(x), self.w_value(x)
        outputs = []
        for t in range(tokens):
            scores = (k[:, : t + 1] * q[:, t : t + 1]).sum(-1) / k.shape[-1] ** 0.5
            weights = self.thinned(scores.softmax(-1))
            outputs.append((weights.unsqueeze(-1) * v[:, : t + 1]).sum(1))
        return torch.stack(outputs, dim=1)
