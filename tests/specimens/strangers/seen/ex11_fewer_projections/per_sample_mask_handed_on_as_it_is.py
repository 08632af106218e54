"""Exercise 11: attention with fewer projections, and which functions are lost with them."""

from torch import Tensor, nn

from .ex05_causal_masks import masked_attention
from .ex07_heads import merge_heads, split_heads


class FewerProjections(nn.Module):
    """Self-attention without a projection for values (and maybe without one for keys)."""

    def __init__(self, d_model: int, num_heads: int, project_keys: bool = True) -> None:
        super().__init__()
        if d_model // num_heads * num_heads != d_model:
            raise ValueError(f"d_model ({d_model}) must be divisible by num_heads ({num_heads})")
        self.n_heads = num_heads
        self.w_query = nn.Linear(d_model, d_model)
        self.w_key = nn.Linear(d_model, d_model) if project_keys else None
        self.w_out = nn.Linear(d_model, d_model)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        q = self.w_query(x)
        k = self.w_key(x) if self.w_key else x
        q, k, v = (split_heads(t, self.n_heads) for t in (q, k, x))
        out, _weights = masked_attention(q, k, v, mask=mask)
        return self.w_out(merge_heads(out))


def parameter_count(d_model: int, project_keys: bool, project_values: bool) -> int:
    n = 2
    for flag in (project_keys, project_values):
        n += 1 if flag else 0
    return n * d_model * (d_model + 1)
