"""Exercise 11: attention with fewer projections, and which functions are lost with them."""

from torch import Tensor, nn

from .ex05_causal_masks import masked_attention
from .ex07_heads import merge_heads, split_heads


class FewerProjections(nn.Module):
    def __init__(self, d_model: int, num_heads: int, project_keys: bool = True) -> None:
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError(f"num_heads={num_heads} does not divide d_model={d_model}")
        self.num_heads = num_heads
        for name in ("w_query", "w_key", "w_value", "w_out"):
            setattr(self, name, nn.Linear(d_model, d_model))
        self.project = {"key": project_keys, "value": False}
        if not project_keys:
            del self.w_key

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        q = self.w_query(x)
        k = self.w_key(x) if self.project["key"] else x
        v = self.w_value(x) if self.project["value"] else x
        q, k, v = [split_heads(t, self.num_heads) for t in (q, k, v)]
        if mask is not None and len(mask.shape) == 3:
            mask = mask.unsqueeze(1)
        out, _ = masked_attention(q, k, v, mask)
        return self.w_out(merge_heads(out))


def parameter_count(d_model: int, project_keys: bool, project_values: bool) -> int:
    def linear(n_in: int, n_out: int) -> int:
        return n_in * n_out + n_out

    total = linear(d_model, d_model) * 2
    total += linear(d_model, d_model) if project_keys else 0
    total += linear(d_model, d_model) if project_values else 0
    return total
