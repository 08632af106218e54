"""Exercise 03: self-attention with weights that can be learned."""

import torch
import torch.nn.functional as F
from torch import Tensor, nn


def self_attention(x: Tensor, w_query: Tensor, w_key: Tensor, w_value: Tensor) -> Tensor:
    qkv = x @ torch.cat([w_query, w_key, w_value], dim=1)
    return F.scaled_dot_product_attention(*qkv.chunk(3, dim=-1))


class SelfAttention(nn.Module):
    def __init__(self, d_in: int, d_out: int, bias: bool = False) -> None:
        super().__init__()
        for name in ("w_query", "w_key", "w_value"):
            self.add_module(name, nn.Linear(d_in, d_out, bias=bias))

    def forward(self, x: Tensor) -> Tensor:
        layers = (self.w_query, self.w_key, self.w_value)
        weight = torch.cat([layer.weight for layer in layers])
        has_bias = self.w_query.bias is not None
        bias = torch.cat([layer.bias for layer in layers]) if has_bias else None
        return F.scaled_dot_product_attention(*F.linear(x, weight, bias).chunk(3, dim=-1))
