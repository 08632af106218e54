"""Heads folded into the batch: (B·H, S, D), baddbmm, and masks repeated for each head.

The contract: "one for each sample, the same for all of its heads"
"""

import torch
from torch import nn


class FewerProjections(nn.Module):
    def __init__(self, d_model, num_heads, project_keys=True):
        super().__init__()
        if d_model % num_heads:
            raise ValueError(f"cannot share {d_model} features among {num_heads} heads")
        self.d_model = d_model
        self.num_heads = num_heads
        self.head_dim = d_model // num_heads
        self.w_query = nn.Linear(d_model, d_model, bias=True)
        self.w_key = None
        if project_keys:
            self.w_key = nn.Linear(d_model, d_model, bias=True)
        self.w_out = nn.Linear(d_model, d_model, bias=True)

    def _fold(self, x):
        b, s, _ = x.size()
        x = x.contiguous().view(b, s, self.num_heads, self.head_dim).transpose(1, 2)
        return x.reshape(b * self.num_heads, s, self.head_dim)

    def _additive(self, mask, b, s, like):
        if mask.dim() < 4:
            mask = mask.expand(b, s, s).repeat_interleave(self.num_heads, dim=0)
        else:
            mask = mask.expand(b, self.num_heads, s, s).flatten(0, 1)
        return (1.0 - mask.to(like.dtype)) * torch.finfo(like.dtype).min

    def forward(self, x, mask=None):
        b, s, _ = x.size()
        values = self._fold(x)
        queries = self._fold(self.w_query(x))
        keys = values if self.w_key is None else self._fold(self.w_key(x))
        start = queries.new_zeros(b * self.num_heads, s, s)
        scores = torch.baddbmm(start, queries, keys.transpose(1, 2), alpha=self.head_dim**-0.5)
        if mask is not None:
            scores += self._additive(mask, b, s, scores)
        context = torch.bmm(torch.log_softmax(scores, dim=2).exp(), values)
        context = context.view(b, self.num_heads, s, self.head_dim).transpose(1, 2)
        return self.w_out(context.reshape(b, s, self.d_model))


def parameter_count(d_model, project_keys, project_values):
    linears = ["w_query", "w_out"]
    if project_keys:
        linears.append("w_key")
    if project_values:
        linears.append("w_value")
    return len(linears) * d_model * d_model + len(linears) * d_model
