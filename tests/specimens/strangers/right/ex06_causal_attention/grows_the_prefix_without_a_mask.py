"""Exercise 06: causal attention."""

import torch
from torch import Tensor, nn


class CausalAttention(nn.Module):
    mask: Tensor

    def __init__(
        self, d_in: int, d_out: int, context_length: int, dropout: float = 0.0, bias: bool = False
    ) -> None:
        super().__init__()
        self.share_dropped = dropout
        self.context_length = context_length
        self.scale = d_out**-0.5
        self.w_query, self.w_key, self.w_value = (
            nn.Linear(d_in, d_out, bias=bias) for _ in range(3)
        )
        self.register_buffer("mask", torch.arange(1, context_length + 1))

    def _thin_out(self, weights: Tensor) -> Tensor:
        p = self.share_dropped
        if not self.training or p == 0:
            return weights
        if p >= 1:
            return weights * 0
        return weights.masked_fill(torch.rand_like(weights) < p, 0.0) / (1 - p)

    def forward(self, x: Tensor) -> Tensor:
        tokens = x.shape[1]
        if tokens > self.context_length:
            raise ValueError(f"{tokens} tokens are more than context_length={self.context_length}")
        queries, keys, values = self.w_query(x) * self.scale, self.w_key(x), self.w_value(x)
        rows = []
        for t, visible in enumerate(self.mask[:tokens].tolist()):
            scores = queries[:, t : t + 1] @ keys[:, :visible].mT
            rows.append(self._thin_out(scores.softmax(-1)) @ values[:, :visible])
        return torch.cat(rows, dim=1)
