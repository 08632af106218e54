"""Multi-head attention, einsum with heads last but one."""

import torch
import torch.nn as nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, dropout=0.0, bias=True):
        super(MultiHeadAttention, self).__init__()
        self.d_model = d_model
        self.num_heads = num_heads
        self.head_dim = d_model // num_heads
        if self.head_dim * num_heads != d_model:
            raise ValueError(f"width {d_model} needs to be divisible by heads {num_heads}")

        self.w_query = nn.Linear(self.head_dim, self.head_dim, bias=bias)
        self.w_key = nn.Linear(self.head_dim, self.head_dim, bias=bias)
        self.w_value = nn.Linear(self.head_dim, self.head_dim, bias=bias)
        self.w_out = nn.Linear(num_heads * self.head_dim, d_model, bias=bias)
        self.dropout = nn.Dropout(dropout)

    def forward(self, query, key, value, mask=None):
        N, query_len, _ = query.shape
        key_len, value_len = key.shape[1], value.shape[1]

        queries = query.reshape(N, query_len, self.num_heads, self.head_dim)
        keys = key.reshape(N, key_len, self.num_heads, self.head_dim)
        values = value.reshape(N, value_len, self.num_heads, self.head_dim)

        queries = self.w_query(queries)
        keys = self.w_key(keys)
        values = self.w_value(values)

        energy = torch.einsum("nqhd,nkhd->nhqk", [queries, keys])
        if mask is not None:
            if mask.dim() == 3:
                mask = mask.unsqueeze(1)
            energy = energy.masked_fill(mask == 0, float("-inf"))

        attention = torch.softmax(energy / self.head_dim ** (1 / 2), dim=3)
        attention = self.dropout(attention)
        out = torch.einsum("nhql,nlhd->nqhd", [attention, values])
        out = out.reshape(N, query_len, self.num_heads * self.head_dim)
        return self.w_out(out), attention
