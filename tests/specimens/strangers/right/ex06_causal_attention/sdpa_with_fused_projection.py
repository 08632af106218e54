"""Exercise 06: causal attention."""

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from .ex05_causal_masks import causal_mask


class CausalAttention(nn.Module):
    mask: Tensor

    def __init__(
        self, d_in: int, d_out: int, context_length: int, dropout: float = 0.0, bias: bool = False
    ) -> None:
        super().__init__()
        self.dropout = dropout
        for name in ("w_query", "w_key", "w_value"):
            self.add_module(name, nn.Linear(d_in, d_out, bias=bias))
        self.register_buffer("mask", causal_mask(context_length), persistent=False)

    def forward(self, x: Tensor) -> Tensor:
        tokens, limit = x.shape[1], self.mask.shape[0]
        if tokens > limit:
            raise ValueError(f"x has {tokens} tokens, but context_length is {limit}")
        layers = (self.w_query, self.w_key, self.w_value)
        biases = [layer.bias for layer in layers if layer.bias is not None]
        qkv = F.linear(
            x, torch.cat([layer.weight for layer in layers]), torch.cat(biases) if biases else None
        )
        return F.scaled_dot_product_attention(
            *qkv.chunk(3, dim=-1),
            attn_mask=self.mask[:tokens, :tokens],
            dropout_p=self.dropout if self.training else 0.0,
        )
