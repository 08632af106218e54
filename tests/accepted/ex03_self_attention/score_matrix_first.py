"""x · (Wq Wkᵀ) · xᵀ: queries and keys never exist; the logarithm of the sum normalises.

The contract: "Every token is projected three times: q = x @ w_query, k = x @ w_key, v = x @
w_value."
"""

import torch
from torch import nn


def self_attention(x, w_query, w_key, w_value):
    likes = w_query @ w_key.T / w_key.size(1) ** 0.5  # (d_in, d_in)
    logits = x @ likes @ x.transpose(-1, -2)
    weights = (logits - logits.logsumexp(-1, keepdim=True)).exp()
    return weights @ x @ w_value


class SelfAttention(nn.Module):
    def __init__(self, d_in: int, d_out: int, bias: bool = False):
        nn.Module.__init__(self)
        self.root = d_out**0.5
        self.w_query = nn.Linear(d_in, d_out, bias=bias)
        self.w_key = nn.Linear(d_in, d_out, bias=bias)
        self.w_value = nn.Linear(d_in, d_out, bias=bias)
        self.softmax = nn.Softmax(dim=-1)

    def forward(self, x):
        queries = self.w_query(x).div(self.root)
        weights = self.softmax(torch.matmul(queries, self.w_key(x).transpose(-1, -2)))
        return torch.matmul(weights, self.w_value(x))
