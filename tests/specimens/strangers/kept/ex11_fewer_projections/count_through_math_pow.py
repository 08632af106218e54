"""Exercise 11: attention with fewer projections, and which functions are lost with them."""

import math

from torch import Tensor, nn

from .ex05_causal_masks import masked_attention
from .ex07_heads import merge_heads, split_heads


class FewerProjections(nn.Module):
    def __init__(self, d_model: int, num_heads: int, project_keys: bool = True) -> None:
        super().__init__()
        if d_model % num_heads:
            raise ValueError(f"E = {d_model} is not divisible by H = {num_heads}")
        self.num_heads = num_heads
        self.w_query, self.w_out = nn.Linear(d_model, d_model), nn.Linear(d_model, d_model)
        self.w_key = nn.Linear(d_model, d_model) if project_keys else None

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        k = x
        if self.w_key is not None:
            k = self.w_key(x)
        if mask is not None and mask.dim() == 3:
            mask = mask.unsqueeze(-3)
        out, _ = masked_attention(
            split_heads(self.w_query(x), self.num_heads),
            split_heads(k, self.num_heads),
            split_heads(x, self.num_heads),
            mask,
        )
        return self.w_out(merge_heads(out))


def parameter_count(d_model: int, project_keys: bool, project_values: bool) -> int:
    weight = math.pow(d_model, 2)
    bias = d_model
    layers = 2 + project_keys + project_values
    return int(layers * (weight + bias))
