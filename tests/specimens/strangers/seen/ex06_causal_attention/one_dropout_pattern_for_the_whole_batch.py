"""Exercise 06: causal attention."""

import torch
from torch import Tensor, nn

from .ex05_causal_masks import causal_mask, masked_attention


class CausalAttention(nn.Module):
    mask: Tensor

    def __init__(
        self, d_in: int, d_out: int, context_length: int, dropout: float = 0.0, bias: bool = False
    ) -> None:
        super().__init__()
        self.w_query = nn.Linear(d_in, d_out, bias=bias)
        self.w_key = nn.Linear(d_in, d_out, bias=bias)
        self.w_value = nn.Linear(d_in, d_out, bias=bias)
        self.keep = 1.0 - dropout
        self.register_buffer("mask", causal_mask(context_length))

    def forward(self, x: Tensor) -> Tensor:
        num_tokens = x.shape[1]
        max_tokens = len(self.mask)
        if num_tokens > max_tokens:
            raise ValueError(f"{num_tokens} tokens do not fit into a context of {max_tokens}")
        v = self.w_value(x)
        mask = self.mask[:num_tokens, :num_tokens]
        _, weights = masked_attention(self.w_query(x), self.w_key(x), v, mask)
        if self.training and self.keep < 1.0:
            kept = torch.rand(num_tokens, num_tokens, device=x.device) < self.keep
            weights = torch.where(kept, weights / self.keep, 0.0)
        return weights @ v
