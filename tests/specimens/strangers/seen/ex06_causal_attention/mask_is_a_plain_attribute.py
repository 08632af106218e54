"""Exercise 06: causal attention."""

import torch
from torch import Tensor, nn

from .ex05_causal_masks import causal_mask


class CausalAttention(nn.Module):
    mask: Tensor

    def __init__(
        self, d_in: int, d_out: int, context_length: int, dropout: float = 0.0, bias: bool = False
    ) -> None:
        super().__init__()
        self.w_query = nn.Linear(d_in, d_out, bias=bias)
        self.w_key = nn.Linear(d_in, d_out, bias=bias)
        self.w_value = nn.Linear(d_in, d_out, bias=bias)
        self.scale = d_out ** -0.5
        self.context_length = context_length
        self.dropout = nn.Dropout(dropout)
        self.mask = causal_mask(context_length)

    def forward(self, x: Tensor) -> Tensor:
        T = x.shape[1]
        if T > self.context_length:
            raise ValueError(f"T={T} exceeds context_length={self.context_length}")
        scores = self.w_query(x) @ self.w_key(x).mT * self.scale
        scores = torch.where(self.mask[:T, :T], scores, -torch.inf)
        return self.dropout(scores.softmax(-1)) @ self.w_value(x)
