"""Exercise 06: causal attention."""

import torch
from torch import Tensor, nn

from .ex05_causal_masks import masked_attention


class CausalAttention(nn.Module):
    mask: Tensor

    def __init__(
        self, d_in: int, d_out: int, context_length: int, dropout: float = 0.0, bias: bool = False
    ) -> None:
        super().__init__()
        self.w_query = nn.Linear(d_in, d_out, bias=bias)
        self.w_key   = nn.Linear(d_in, d_out, bias=bias)
        self.w_value = nn.Linear(d_in, d_out, bias=bias)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer(
            "mask",
            torch.triu(torch.ones(context_length, context_length), diagonal=1).bool(),
        )

    def forward(self, x: Tensor) -> Tensor:
        b, num_tokens, d_in = x.shape
        if num_tokens > self.mask.size(0):
            raise ValueError(f"num_tokens {num_tokens} > context_length {self.mask.size(0)}")
        keys = self.w_key(x)
        queries = self.w_query(x)
        values = self.w_value(x)
        context, attn = masked_attention(queries, keys, values, self.mask[:num_tokens, :num_tokens])
        context_vec = self.dropout(attn) @ values
        return context_vec
