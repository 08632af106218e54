"""Exercise 11: attention with fewer projections, and which functions are lost with them."""

from torch import Tensor, nn

from .ex05_causal_masks import masked_attention
from .ex07_heads import merge_heads, split_heads


class FewerProjections(nn.Module):
    def __init__(self, d_model: int, num_heads: int, project_keys: bool = True) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.w_query = nn.Linear(d_model, d_model)
        self.w_key = nn.Linear(d_model, d_model) if project_keys else None
        self.w_out = nn.Linear(d_model, d_model)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        # split_heads complains when the heads do not fit
        values = split_heads(x, self.num_heads)
        queries = split_heads(self.w_query(x), self.num_heads)
        keys = split_heads(self.w_key(x), self.num_heads) if self.w_key is not None else values
        if mask is not None and mask.dim() == 3:
            mask = mask.unsqueeze(1)
        attended, _ = masked_attention(queries, keys, values, mask)
        return self.w_out(merge_heads(attended))


def parameter_count(d_model: int, project_keys: bool, project_values: bool) -> int:
    matrices = 2 + bool(project_keys) + bool(project_values)
    return matrices * d_model * d_model + d_model
