"""Attention with fewer projections, as a textbook writes it: with one mask for all samples."""

from torch import Tensor, nn

from .ex05_causal_masks import masked_attention
from .ex07_heads import merge_heads, split_heads


class FewerProjections(nn.Module):
    """Self-attention in heads, with slices of the input as values."""

    def __init__(self, d_model: int, num_heads: int, project_keys: bool = True) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.w_query = nn.Linear(d_model, d_model)
        self.w_key = nn.Linear(d_model, d_model) if project_keys else nn.Identity()
        self.w_out = nn.Linear(d_model, d_model)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        """Split into heads, attend, merge, project."""
        queries = split_heads(self.w_query(x), self.num_heads)
        keys = split_heads(self.w_key(x), self.num_heads)
        values = split_heads(x, self.num_heads)
        context, _ = masked_attention(queries, keys, values, mask)
        return self.w_out(merge_heads(context))


def parameter_count(d_model: int, project_keys: bool, project_values: bool) -> int:
    """Count the weights and biases of all projections."""
    layers = 2 + project_keys + project_values
    return layers * (d_model**2 + d_model)
