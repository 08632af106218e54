import torch
from torch import nn


class CausalAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, bias=False):
        super().__init__()
        self.w_query = nn.Linear(d_in, d_out, bias=bias)
        self.w_key = nn.Linear(d_in, d_out, bias=bias)
        self.w_value = nn.Linear(d_in, d_out, bias=bias)
        self.dropout = nn.Dropout(dropout)
        later = torch.ones(context_length, context_length).triu(diagonal=1)
        self.register_buffer("mask", later)

    def forward(self, x):
        tokens = x.shape[1]
        scores = self.w_query(x) @ self.w_key(x).transpose(1, 2)
        scores.masked_fill_(self.mask.bool()[:tokens, :tokens], -torch.inf)
        weights = torch.softmax(scores / self.w_key.out_features**0.5, dim=-1)
        return self.dropout(weights) @ self.w_value(x)
