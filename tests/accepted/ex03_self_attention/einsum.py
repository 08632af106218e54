"""Everything as einsum; the class hands its transposed weights to the same three lines.

The contract: "Project each token with the three layers, and attend as `self_attention` does."
"""

import torch
from torch import nn


def attend(q, k, v):
    scores = torch.einsum("...td,...sd->...ts", q, k) * q.shape[-1] ** -0.5
    return torch.einsum("...ts,...sd->...td", torch.softmax(scores, dim=-1), v)


def self_attention(x, w_query, w_key, w_value):
    return attend(*(torch.einsum("...si,io->...so", x, w) for w in (w_query, w_key, w_value)))


class SelfAttention(nn.Module):
    def __init__(self, d_in, d_out, bias=False):
        super().__init__()
        self.w_query, self.w_key, self.w_value = (nn.Linear(d_in, d_out, bias) for _ in range(3))

    def forward(self, x):
        return attend(self.w_query(x), self.w_key(x), self.w_value(x))
