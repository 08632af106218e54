"""Grouped-query attention, as a textbook writes it."""

from torch import Tensor, nn

from .ex05_causal_masks import masked_attention
from .ex07_heads import merge_heads, split_heads


def repeat_heads(x: Tensor, times: int) -> Tensor:
    """Repeat each head, with its copies side by side."""
    batch, heads, tokens, width = x.shape
    copies = x[:, :, None].expand(batch, heads, times, tokens, width)
    return copies.reshape(batch, heads * times, tokens, width)


def cache_size(num_layers: int, num_kv_heads: int, head_dim: int, tokens: int) -> int:
    """Count the numbers in a cache of keys and values."""
    return 2 * num_layers * num_kv_heads * head_dim * tokens


class GroupedQueryAttention(nn.Module):
    """Self-attention in which groups of heads share their keys and values."""

    def __init__(self, d_model: int, num_heads: int, num_kv_heads: int, bias: bool = False) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.num_kv_heads = num_kv_heads
        self.head_dim = d_model // num_heads
        self.w_query = nn.Linear(d_model, num_heads * self.head_dim, bias=bias)
        self.w_key = nn.Linear(d_model, num_kv_heads * self.head_dim, bias=bias)
        self.w_value = nn.Linear(d_model, num_kv_heads * self.head_dim, bias=bias)
        self.w_out = nn.Linear(num_heads * self.head_dim, d_model, bias=bias)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """Project, share the keys and values, attend, merge, project."""
        queries = split_heads(self.w_query(x), self.num_heads)
        keys = split_heads(self.w_key(x), self.num_kv_heads)
        values = split_heads(self.w_value(x), self.num_kv_heads)
        times = self.num_heads // self.num_kv_heads
        keys, values = repeat_heads(keys, times), repeat_heads(values, times)
        context, weights = masked_attention(queries, keys, values, mask)
        return self.w_out(merge_heads(context)), weights
