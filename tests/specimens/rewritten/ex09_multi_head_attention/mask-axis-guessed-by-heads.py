import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, dropout=0.0, bias=True):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("%d is not divisible by %d" % (d_model, num_heads))
        self.d_model, self.num_heads, self.head_dim = d_model, num_heads, d_model // num_heads
        for name in ("w_query", "w_key", "w_value", "w_out"):
            setattr(self, name, nn.Linear(d_model, d_model, bias))
        self.p = dropout

    def _heads(self, x):
        return x.unflatten(-1, (self.num_heads, self.head_dim)).permute(0, 2, 1, 3)

    def _four_axes(self, mask):
        if mask.dim() == 2:
            return mask[None, None]
        if mask.dim() == 3 and mask.shape[1] == self.num_heads:
            return mask[:, :, None]
        if mask.dim() == 3:
            return mask[:, None]
        return mask

    def forward(self, query, key, value, mask=None):
        q = self._heads(self.w_query(query))
        k = self._heads(self.w_key(key))
        v = self._heads(self.w_value(value))
        scores = torch.einsum("bhtd,bhsd->bhts", q, k) / math.sqrt(self.head_dim)
        if mask is not None:
            scores = scores.masked_fill(~self._four_axes(mask), -torch.inf)
        weights = F.dropout(F.softmax(scores, dim=-1), self.p, self.training)
        out = torch.einsum("bhts,bhsd->bthd", weights, v).flatten(-2)
        return self.w_out(out), weights
