"""Causal attention with a cache of keys and values: the idea, and nothing of the fine print."""

import torch
from torch import Tensor, nn

from .ex05_causal_masks import masked_attention
from .ex07_heads import merge_heads, split_heads
from .ex19_rotary_positions import rotate_pairs, rotation_table


def causal_mask_after(past: int, size: int) -> Tensor:
    """The last rows of a causal mask."""
    return torch.tril(torch.ones(past + size, past + size)).bool()[past:]


class CachedAttention(nn.Module):
    """Multi-head attention that appends its keys and values to a cache."""

    def __init__(
        self, d_model: int, num_heads: int, context_length: int, bias: bool = False
    ) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.w_query = nn.Linear(d_model, d_model, bias=bias)
        self.w_key = nn.Linear(d_model, d_model, bias=bias)
        self.w_value = nn.Linear(d_model, d_model, bias=bias)
        self.w_out = nn.Linear(d_model, d_model, bias=bias)
        cos, sin = rotation_table(context_length, d_model // num_heads)
        self.register_buffer("cos", cos)
        self.register_buffer("sin", sin)

    def forward(
        self, x: Tensor, cache: tuple[Tensor, Tensor] | None = None
    ) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        past = 0 if cache is None else cache[0].shape[2]
        q = split_heads(self.w_query(x), self.num_heads)
        k = split_heads(self.w_key(x), self.num_heads)
        v = split_heads(self.w_value(x), self.num_heads)
        q = rotate_pairs(q, self.cos, self.sin, offset=past)
        k = rotate_pairs(k, self.cos, self.sin, offset=past)
        if cache is not None:
            k = torch.cat([cache[0], k], dim=2)
            v = torch.cat([cache[1], v], dim=2)
        mask = causal_mask_after(past, x.shape[1]).to(x.device)
        out, _ = masked_attention(q, k, v, mask)
        return self.w_out(merge_heads(out)), (k, v)
