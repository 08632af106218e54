"""Exercise 06: causal attention."""

import torch
from torch import Tensor, nn
from torch.nn import functional as F


class CausalAttention(nn.Module):
    """one head of self-attention"""

    def __init__(
        self, d_in: int, d_out: int, context_length: int, dropout: float = 0.2, bias: bool = False
    ) -> None:
        super().__init__()
        self.w_key = nn.Linear(d_in, d_out, bias=bias)
        self.w_query = nn.Linear(d_in, d_out, bias=bias)
        self.w_value = nn.Linear(d_in, d_out, bias=bias)
        self.register_buffer("tril", torch.tril(torch.ones(context_length, context_length)))
        self.dropout = nn.Dropout(dropout)
        self.block_size = context_length

    def forward(self, x: Tensor) -> Tensor:
        B, T, C = x.shape
        if T > self.block_size:
            raise ValueError(f"{T} tokens, block size {self.block_size}")
        k = self.w_key(x)
        q = self.w_query(x)
        # compute attention scores ("affinities")
        wei = q @ k.transpose(-2, -1) * k.shape[-1] ** -0.5
        wei = wei.masked_fill(self.tril[:T, :T] == 0, float("-inf"))
        wei = F.softmax(wei, dim=-1)
        wei = self.dropout(wei)
        v = self.w_value(x)
        return wei @ v
