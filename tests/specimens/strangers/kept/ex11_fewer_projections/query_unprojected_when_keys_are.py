"""Exercise 11: attention with fewer projections, and which functions are lost with them."""

from torch import Tensor, nn

from .ex05_causal_masks import masked_attention
from .ex07_heads import merge_heads, split_heads


class FewerProjections(nn.Module):
    def __init__(self, d_model: int, num_heads: int, project_keys: bool = True) -> None:
        super().__init__()
        if d_model % num_heads:
            raise ValueError(f"cannot split {d_model} features into {num_heads} heads")
        self.h = num_heads
        self.project_keys = project_keys
        self.w_query = nn.Linear(d_model, d_model)
        if project_keys:
            self.w_key = nn.Linear(d_model, d_model)
        self.w_out = nn.Linear(d_model, d_model)

    def _heads(self, *tensors: Tensor) -> list[Tensor]:
        return [split_heads(t, self.h) for t in tensors]

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        if self.project_keys:
            q, k, v = self._heads(self.w_query(x), self.w_key(x), x)
        else:
            q, k, v = self._heads(x, x, x)
        if mask is not None:
            mask = mask[:, None] if mask.ndim == 3 else mask
        return self.w_out(merge_heads(masked_attention(q, k, v, mask)[0]))


def parameter_count(d_model: int, project_keys: bool, project_values: bool) -> int:
    per_layer = d_model * (d_model + 1)
    total = 2 * per_layer
    if project_keys:
        total += per_layer
    if project_values:
        total += per_layer
    return total
