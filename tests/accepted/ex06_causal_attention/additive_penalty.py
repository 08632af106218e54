"""A buffer of 0 and −inf that is added to the scores and not saved; dropout as a function.

The contract: "Its shape, its dtype, what its numbers mean and whether it is saved with the module
are free."
"""

import math

import torch
from torch import Tensor, nn
from torch.nn import functional as F


class CausalAttention(nn.Module):
    mask: Tensor

    def __init__(
        self, d_in: int, d_out: int, context_length: int, dropout: float = 0.0, bias: bool = False
    ) -> None:
        super().__init__()
        for name in ("w_query", "w_key", "w_value"):
            self.add_module(name, nn.Linear(d_in, d_out, bias))
        penalty = torch.full((1, context_length, context_length), -math.inf).triu(1)
        self.register_buffer("mask", penalty, persistent=False)
        self.p = dropout

    def forward(self, x: Tensor) -> Tensor:
        length, limit = x.shape[-2], self.mask.shape[-1]
        if not length <= limit:
            raise ValueError("{} tokens exceed the context length {}".format(length, limit))
        q, k, v = self.w_query(x), self.w_key(x), self.w_value(x)
        q = q * q.shape[-1] ** -0.5
        scores = torch.einsum("btd,bsd->bts", q, k) + self.mask[..., :length, :length]
        weights = F.dropout(F.softmax(scores, -1), self.p, training=self.training)
        return torch.einsum("bts,bsd->btd", weights, v)
