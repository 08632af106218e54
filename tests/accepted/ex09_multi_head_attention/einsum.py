"""Letters all the way: unflatten, einsum, flatten.

The contract: "Project, split into heads, attend in each, merge, project."
"""

import torch
from torch import nn
from torch.nn import functional as F


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, dropout=0.0, bias=True):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError(f"d_model={d_model} cannot be split into num_heads={num_heads} heads")
        self.d_model, self.num_heads = d_model, num_heads
        self.head_dim = d_model // num_heads
        for name in ("w_query", "w_key", "w_value", "w_out"):
            setattr(self, name, nn.Linear(d_model, d_model, bias))
        self.p = dropout

    def forward(self, query, key, value, mask=None):
        fold = (self.num_heads, self.head_dim)
        q = self.w_query(query).unflatten(-1, fold)
        k = self.w_key(key).unflatten(-1, fold)
        v = self.w_value(value).unflatten(-1, fold)
        scores = torch.einsum("bthd,bshd->bhts", q, k) * self.head_dim**-0.5
        if mask is not None:
            mask = mask[:, None] if mask.ndim == 3 else mask
            scores = torch.where(mask, scores, -torch.inf)
        weights = F.softmax(scores, dim=-1)
        dropped = F.dropout(weights, self.p, training=self.training)
        context = torch.einsum("bhts,bshd->bthd", dropped, v)
        return self.w_out(context.flatten(2)), weights
