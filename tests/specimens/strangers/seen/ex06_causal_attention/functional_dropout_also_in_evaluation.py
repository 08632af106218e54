"""Exercise 06: causal attention."""

import torch.nn.functional as F
from torch import Tensor, nn

from .ex05_causal_masks import causal_mask, masked_attention


class CausalAttention(nn.Module):
    mask: Tensor

    def __init__(
        self, d_in: int, d_out: int, context_length: int, dropout: float = 0.0, bias: bool = False
    ) -> None:
        super().__init__()
        self.p = dropout
        make = lambda: nn.Linear(d_in, d_out, bias=bias)  # noqa: E731
        self.w_query, self.w_key, self.w_value = make(), make(), make()
        self.register_buffer("mask", causal_mask(context_length))

    def forward(self, x: Tensor) -> Tensor:
        t, limit = x.shape[-2], self.mask.shape[0]
        if t > limit:
            raise ValueError(f"{t} tokens > context_length={limit}")
        v = self.w_value(x)
        _, weights = masked_attention(self.w_query(x), self.w_key(x), v, self.mask[:t, :t])
        return F.dropout(weights, self.p) @ v
