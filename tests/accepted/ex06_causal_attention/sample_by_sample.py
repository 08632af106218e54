"""torch.func.vmap over samples: one sample is two matrices and a softmax.

The contract: "Weights come from the softmax, are dropped out, and only then multiply the values."
"""

import torch
from torch import nn
from torch.func import vmap


def attend(q, k, v, hidden, thin):
    scores = (q / q.shape[-1] ** 0.25) @ (k / k.shape[-1] ** 0.25).T
    weights = torch.softmax(scores.masked_fill(hidden, -torch.inf), -1)
    return (weights * thin) @ v


class CausalAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, bias=False):
        super().__init__()
        self.register_buffer("mask", ~torch.ones(context_length, context_length).tril().bool())
        self.thinning = nn.Dropout(dropout)
        self.w_query = nn.Linear(d_in, d_out, bias=bias)
        self.w_key = nn.Linear(d_in, d_out, bias=bias)
        self.w_value = nn.Linear(d_in, d_out, bias=bias)

    def forward(self, x):
        samples, tokens = x.shape[:2]
        hidden = self.mask[:tokens, :tokens]
        if hidden.shape[0] < tokens:
            raise ValueError(f"{tokens} tokens, at most {hidden.shape[0]}")
        thin = self.thinning(x.new_ones(samples, tokens, tokens))
        all_samples = vmap(attend, in_dims=(0, 0, 0, None, 0))
        return all_samples(self.w_query(x), self.w_key(x), self.w_value(x), hidden, thin)
