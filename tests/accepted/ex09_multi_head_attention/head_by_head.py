"""A loop over heads: slices of the weights, and an output that is a sum over heads.

The contract: "Head h has the features h·D to (h+1)·D − 1, as in exercise 07."
"""

import math

import torch
import torch.nn as nn
import torch.nn.functional as F


def rows(linear, block):
    return linear.weight[block], None if linear.bias is None else linear.bias[block]


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, dropout=0.0, bias=True):
        super().__init__()
        self.head_dim, rest = divmod(d_model, num_heads)
        if rest:
            raise ValueError("%d features, %d heads: %d left over" % (d_model, num_heads, rest))
        self.d_model = d_model
        self.num_heads = num_heads
        # the order in which they are made is nobody's business
        self.w_out = nn.Linear(d_model, d_model, bias=bias)
        self.w_value = nn.Linear(d_model, d_model, bias=bias)
        self.w_key = nn.Linear(d_model, d_model, bias=bias)
        self.w_query = nn.Linear(d_model, d_model, bias=bias)
        self.attention_dropout = nn.Dropout(dropout)

    def one_head(self, head, query, key, value, mask):
        block = slice(head * self.head_dim, (head + 1) * self.head_dim)
        q = F.linear(query, *rows(self.w_query, block))
        k = F.linear(key, *rows(self.w_key, block))
        v = F.linear(value, *rows(self.w_value, block))
        scores = torch.bmm(q, k.mT) / math.sqrt(self.head_dim)
        if mask is not None:
            scores = scores + torch.zeros_like(scores).masked_fill(~mask, float("-inf"))
        weights = self.attention_dropout(torch.softmax(scores, -1))
        return weights @ v @ self.w_out.weight[:, block].T, weights

    def forward(self, query, key, value, mask=None):
        output, maps = 0, []
        for head in range(self.num_heads):
            own = mask
            if mask is not None and mask.dim() == 4:
                own = mask[:, head if mask.size(1) > 1 else 0]
            part, weights = self.one_head(head, query, key, value, own)
            output = output + part
            maps.append(weights)
        if self.w_out.bias is not None:
            output = output + self.w_out.bias
        return output, torch.stack(maps, dim=1)  # after dropout
