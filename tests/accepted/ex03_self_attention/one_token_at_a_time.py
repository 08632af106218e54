"""A loop over the tokens that ask, as it is told on paper.

The contract: "for each token one mixture of all values"
"""

import torch
from torch import nn


def context(query, keys, values):
    scores = torch.stack([(query * key).sum(-1) for key in keys.unbind(-2)], dim=-1)
    scores = scores / keys.shape[-1] ** 0.5
    weights = torch.exp(scores - scores.amax(-1, keepdim=True))
    weights = weights / weights.sum(-1, keepdim=True)
    return sum(weights[..., s, None] * values[..., s, :] for s in range(values.shape[-2]))


def self_attention(x, w_query, w_key, w_value):
    keys = torch.matmul(x, w_key)
    values = torch.matmul(x, w_value)
    contexts = []
    for t in range(x.shape[-2]):
        contexts.append(context(torch.matmul(x[..., t, :], w_query), keys, values))
    return torch.stack(contexts, dim=-2)


class SelfAttention(nn.Module):
    def __init__(self, d_in, d_out, bias=False):
        super().__init__()
        self.w_query = nn.Linear(d_in, d_out, bias=bias)
        self.w_key = nn.Linear(d_in, d_out, bias=bias)
        self.w_value = nn.Linear(d_in, d_out, bias=bias)

    def forward(self, x):
        keys, values = self.w_key(x), self.w_value(x)
        queries = self.w_query(x).unbind(-2)
        return torch.stack([context(query, keys, values) for query in queries], dim=-2)
