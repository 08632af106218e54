"""Exercise 25: fewer heads for keys and values than for queries."""

if __name__ == "__main__":
    raise SystemExit(f"This file is run by its tests: pytest {__file__}")

import torch
from torch import Tensor, nn

from .ex05_causal_masks import masked_attention
from .ex07_heads import merge_heads, split_heads


def repeat_heads(x: Tensor, times: int) -> Tensor:
    heads = []
    for g in range(x.shape[1]):
        for _ in range(times):
            heads.append(x[:, g])
    return torch.stack(heads, dim=1)


def cache_size(num_layers: int, num_kv_heads: int, head_dim: int, tokens: int) -> int:
    per_token = 2 * num_kv_heads * head_dim
    return num_layers * tokens * per_token


class GroupedQueryAttention(nn.Module):
    def __init__(self, d_model: int, num_heads: int, num_kv_heads: int, bias: bool = False) -> None:
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError(f"d_model {d_model} is not divisible by num_heads {num_heads}")
        if num_heads % num_kv_heads != 0:
            raise ValueError(f"num_heads {num_heads} is not divisible by {num_kv_heads} kv heads")
        self.num_heads = num_heads
        self.num_kv_heads = num_kv_heads
        head_dim = d_model // num_heads
        self.w_query = nn.Linear(d_model, d_model, bias=bias)
        self.w_key = nn.Linear(d_model, num_kv_heads * head_dim, bias=bias)
        self.w_value = nn.Linear(d_model, num_kv_heads * head_dim, bias=bias)
        self.w_out = nn.Linear(d_model, d_model, bias=bias)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        times = self.num_heads // self.num_kv_heads
        query = split_heads(self.w_query(x), self.num_heads)
        key = split_heads(self.w_key(x), self.num_kv_heads)
        value = split_heads(self.w_value(x), self.num_kv_heads)
        key = repeat_heads(key, times)
        value = repeat_heads(value, times)
        mixed, weights = masked_attention(query, key, value, mask)
        output = self.w_out(merge_heads(mixed))
        return output, weights
