"""Exercise 03: self-attention with weights that can be learned."""

import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn


def self_attention(x: Tensor, w_query: Tensor, w_key: Tensor, w_value: Tensor) -> Tensor:
    q = F.linear(x, w_query.T)
    k = F.linear(x, w_key.T)
    v = F.linear(x, w_value.T)
    attn = F.softmax(torch.matmul(q / math.sqrt(q.shape[-1]), k.transpose(-2, -1)), dim=-1)
    return torch.matmul(attn, v)


class SelfAttention(nn.Module):
    def __init__(self, d_in: int, d_out: int, bias: bool = False) -> None:
        super().__init__()
        self.temperature = d_out**0.5
        self.w_query = nn.Linear(d_in, d_out, bias=bias)
        self.w_key = nn.Linear(d_in, d_out, bias=bias)
        self.w_value = nn.Linear(d_in, d_out, bias=bias)
        self.dropout = nn.Dropout(0.1)

    def forward(self, x: Tensor) -> Tensor:
        q, k, v = self.w_query(x), self.w_key(x), self.w_value(x)
        attn = torch.matmul(q / self.temperature, k.transpose(-2, -1))
        attn = self.dropout(F.softmax(attn, dim=-1))
        return torch.matmul(attn, v)
