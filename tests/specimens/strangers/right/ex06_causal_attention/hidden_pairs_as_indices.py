"""Exercise 06: causal attention."""

import math

import torch
from torch import Tensor, nn


class _Thinning(nn.Module):
    def __init__(self, share: float) -> None:
        super().__init__()
        self.share = share

    def forward(self, weights: Tensor) -> Tensor:
        if not self.training or self.share == 0:
            return weights
        stays = torch.empty_like(weights).bernoulli_(1 - self.share)
        return weights * stays / max(1 - self.share, 1e-12)


class CausalAttention(nn.Module):
    mask: Tensor

    def __init__(
        self, d_in: int, d_out: int, context_length: int, dropout: float = 0.0, bias: bool = False
    ) -> None:
        super().__init__()
        self.context_length = context_length
        self.w_query = nn.Linear(d_in, d_out, bias=bias)
        self.w_key = nn.Linear(d_in, d_out, bias=bias)
        self.w_value = nn.Linear(d_in, d_out, bias=bias)
        self.thinning = _Thinning(dropout)
        pairs = torch.triu_indices(context_length, context_length, offset=1)
        self.register_buffer("mask", pairs, persistent=False)

    def forward(self, x: Tensor) -> Tensor:
        count = x.shape[1]
        if count > self.context_length:
            raise ValueError(f"context_length: {self.context_length}, tokens: {count}")
        q, k, v = self.w_query(x), self.w_key(x), self.w_value(x)
        scores = torch.baddbmm(
            q.new_zeros(()), q, k.transpose(1, 2), beta=0, alpha=1 / math.sqrt(q.shape[-1])
        )
        later, earlier = self.mask[1], self.mask[0]
        inside = later < count
        hidden = scores.new_tensor(-math.inf)
        scores = scores.permute(1, 2, 0).index_put((earlier[inside], later[inside]), hidden)
        return self.thinning(scores.permute(2, 0, 1).softmax(dim=-1)) @ v
