"""Hidden places assigned through a boolean index; keys and values turned on their side once.

The contract: "a later token, which is finite, has a weight of exactly zero, however high it
scores."
"""

import torch
from torch import Tensor, nn


class CausalAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, bias=False):
        super().__init__()
        self.w_query, self.w_key, self.w_value = (
            nn.Linear(d_in, d_out, bias=bias) for _ in range(3)
        )
        later = torch.ones(context_length, context_length, dtype=torch.bool)
        self.register_buffer("mask", later.triu_(1))
        self.context_length = context_length
        self.dropout = torch.nn.Dropout(dropout)

    def _check(self, tokens: int) -> None:
        if tokens > self.context_length:
            raise ValueError(
                f"The input has {tokens} tokens; this module was made for {self.context_length}."
            )

    def forward(self, x: Tensor) -> Tensor:
        self._check(tokens := x.shape[1])
        columns = self.w_key(x).permute(0, 2, 1)
        scores = self.w_query(x).matmul(columns).mul(self.w_key.out_features**-0.5)
        scores[:, self.mask[:tokens, :tokens]] = float("-inf")
        weights = torch.log_softmax(scores, dim=2).exp()
        return (self.w_value(x).mT @ self.dropout(weights).mT).mT
