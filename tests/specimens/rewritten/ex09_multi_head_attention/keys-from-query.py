import torch
from torch import nn
from torch.nn import functional as F


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, dropout=0.0, bias=True):
        if d_model % num_heads:
            raise ValueError(f"embedding of {d_model} not divisible by {num_heads} heads")
        super().__init__()
        self.num_heads = num_heads
        self.d_model = d_model
        self.dropout = nn.Dropout(dropout)
        self.w_out = nn.Linear(d_model, d_model, bias=bias)
        self.w_value = nn.Linear(d_model, d_model, bias=bias)
        self.w_key = nn.Linear(d_model, d_model, bias=bias)
        self.w_query = nn.Linear(d_model, d_model, bias=bias)

    @property
    def head_dim(self):
        return self.d_model // self.num_heads

    def fold(self, x):
        """Samples and heads in one axis."""
        x = x.reshape(x.shape[0], x.shape[1], self.num_heads, self.head_dim)
        return x.transpose(1, 2).flatten(0, 1)

    def forward(self, query, key, value, mask=None):
        q = self.fold(self.w_query(query))
        k = self.fold(self.w_key(query))
        v = self.fold(self.w_value(value))
        scores = torch.bmm(q, k.transpose(1, 2)) * self.head_dim ** -0.5
        scores = scores.unflatten(0, (-1, self.num_heads))
        if mask is not None:
            mask = mask if mask.dim() != 3 else mask.unsqueeze(1)
            scores = scores.masked_fill(mask.logical_not(), float("-inf"))
        weights = F.softmax(scores, dim=3)
        mixed = torch.bmm(self.dropout(weights).flatten(0, 1), v)
        mixed = mixed.unflatten(0, (-1, self.num_heads)).transpose(1, 2).flatten(2)
        return self.w_out(mixed), weights
