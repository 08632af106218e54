"""Multi-head attention whose layers come from a function."""

from functools import lru_cache

from torch import Tensor, nn

from .ex05_causal_masks import masked_attention
from .ex07_heads import merge_heads, split_heads


@lru_cache
def make_layers(width: int, bias: bool) -> tuple[nn.Linear, ...]:
    """Four projections of one width."""
    return tuple(nn.Linear(width, width, bias=bias) for _ in range(4))


class MultiHeadAttention(nn.Module):
    def __init__(
        self, d_model: int, num_heads: int, dropout: float = 0.0, bias: bool = True
    ) -> None:
        super().__init__()
        if d_model % num_heads:
            raise ValueError(f"{d_model} features cannot be shared by {num_heads} heads")
        self.d_model = d_model
        self.num_heads = num_heads
        self.head_dim = d_model // num_heads
        self.w_query, self.w_key, self.w_value, self.w_out = make_layers(d_model, bias)
        self.dropout = nn.Dropout(dropout)

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        q = split_heads(self.w_query(query), self.num_heads)
        k = split_heads(self.w_key(key), self.num_heads)
        v = split_heads(self.w_value(value), self.num_heads)
        if mask is not None and mask.dim() == 3:
            mask = mask.unsqueeze(1)
        _, weights = masked_attention(q, k, v, mask)
        context = self.dropout(weights) @ v
        return self.w_out(merge_heads(context)), weights
