"""Softmax first, hidden weights taken out and rows renormalised; dropout by hand.

No hidden score may stand above the largest visible one, or it would take all the weight.

The contract: "one map for each head, zero at hidden keys."
"""

from typing import NamedTuple

import torch
from torch import Tensor, nn

from .ex05_causal_masks import mask_weights
from .ex07_heads import merge_heads, split_heads


class Attended(NamedTuple):
    output: Tensor
    weights: Tensor


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model: int, num_heads: int, dropout: float = 0.0, bias: bool = True):
        super().__init__()
        remainder = d_model % num_heads
        if remainder != 0:
            message = f"d_model / num_heads = {d_model} / {num_heads} leaves {remainder}"
            raise ValueError(message)
        self.d_model: int = d_model
        self.num_heads: int = num_heads
        self.drop_share: float = dropout
        self.w_query = nn.Linear(d_model, d_model, bias=bias)
        self.w_key = nn.Linear(d_model, d_model, bias=bias)
        self.w_value = nn.Linear(d_model, d_model, bias=bias)
        self.w_out = nn.Linear(d_model, d_model, bias=bias)

    @property
    def head_dim(self) -> int:
        return self.d_model // self.num_heads

    def thinned(self, weights: Tensor) -> Tensor:
        if not self.training or self.drop_share == 0:
            return weights
        if self.drop_share == 1:
            return torch.zeros_like(weights)
        stays = torch.empty_like(weights).bernoulli_(1 - self.drop_share)
        return weights * stays / (1 - self.drop_share)

    def forward(self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None):
        q, k, v = (
            split_heads(project(x), self.num_heads)
            for project, x in [(self.w_query, query), (self.w_key, key), (self.w_value, value)]
        )
        scores = q.matmul(k.mT).div(self.head_dim**0.5)
        if mask is None:
            weights = torch.softmax(scores, dim=-1)
        else:
            mask = mask.unsqueeze(-3) if mask.dim() == 3 else mask
            highest = scores.detach().where(mask, -torch.inf).amax(dim=-1, keepdim=True)
            scores = torch.where(scores > highest, highest, scores)
            weights = mask_weights(torch.softmax(scores, dim=-1), mask)
        weights = self.thinned(weights)
        return Attended(self.w_out(merge_heads(weights.matmul(v))), weights)
