"""A softmax that is always computed in float32 and cast back, as large models do it.

The contract: "output: (B, T, E), in the dtype of the inputs and of the module."
"""

import torch
import torch.nn.functional as F

from .ex07_heads import merge_heads, split_heads


class MultiHeadAttention(torch.nn.Module):
    def __init__(self, d_model: int, num_heads: int, dropout: float = 0.0, bias: bool = True):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError(f"d_model={d_model} is no multiple of num_heads={num_heads}")
        self.d_model, self.num_heads, self.head_dim = d_model, num_heads, d_model // num_heads
        for name in ("w_query", "w_key", "w_value", "w_out"):
            self.add_module(name, torch.nn.Linear(d_model, d_model, bias=bias))
        self.dropout = torch.nn.Dropout(dropout)

    def forward(self, query, key, value, mask=None):
        q = split_heads(self.w_query(query), self.num_heads)
        k = split_heads(self.w_key(key), self.num_heads)
        v = split_heads(self.w_value(value), self.num_heads)
        scores = torch.matmul(q, k.transpose(2, 3)).div(self.head_dim**0.5).float()
        if mask is not None:
            allowed = mask.unsqueeze(1) if mask.ndim == 3 else mask
            scores = scores.masked_fill(allowed.logical_not(), torch.finfo(scores.dtype).min)
        weights = F.softmax(scores, dim=-1).type_as(q)
        if mask is not None:
            weights = weights.masked_fill(allowed.logical_not(), 0.0)
        context = torch.matmul(self.dropout(weights), v)
        return self.w_out(merge_heads(context)), weights
