import torch
from torch import nn


def self_attention(x, w_query, w_key, w_value):
    scores = (x @ w_query) @ (x @ w_key).T
    return torch.softmax(scores / w_key.shape[1] ** 0.5, dim=-1) @ (x @ w_value)


class SelfAttention(nn.Module):
    def __init__(self, d_in, d_out, bias=False):
        super().__init__()
        self.w_query = nn.Linear(d_in, d_out, bias=bias)
        self.w_key = nn.Linear(d_in, d_out, bias=bias)
        self.w_value = nn.Linear(d_in, d_out, bias=bias)

    def forward(self, x):
        scores = self.w_query(x) @ self.w_key(x).T / self.w_key.out_features**0.5
        return torch.softmax(scores, dim=-1) @ self.w_value(x)
