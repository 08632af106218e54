"""Exercise 06: causal attention."""

import torch
from torch import Tensor, nn


class CausalAttention(nn.Module):
    mask: Tensor

    def __init__(
        self, d_in: int, d_out: int, context_length: int, dropout: float = 0.0, bias: bool = False
    ) -> None:
        super().__init__()
        self.context_length = context_length
        self.d_out = d_out
        self.w_query = nn.Linear(d_in, d_out, bias=bias)
        self.w_key = nn.Linear(d_in, d_out, bias=bias)
        self.w_value = nn.Linear(d_in, d_out, bias=bias)
        self.dropout = nn.Dropout(dropout)
        tril = torch.tril(torch.ones(context_length, context_length))
        self.register_buffer("mask", (1.0 - tril) * -10000.0)

    def forward(self, x: Tensor) -> Tensor:
        seq_len = x.size(1)
        if seq_len > self.context_length:
            raise ValueError(f"seq_len ({seq_len}) > context_length ({self.context_length})")
        attention_scores = torch.matmul(self.w_query(x), self.w_key(x).transpose(-1, -2))
        attention_scores = attention_scores / self.d_out**0.5
        attention_scores = attention_scores + self.mask[:seq_len, :seq_len]
        attention_probs = nn.functional.softmax(attention_scores, dim=-1)
        attention_probs = self.dropout(attention_probs)
        return torch.matmul(attention_probs, self.w_value(x))
