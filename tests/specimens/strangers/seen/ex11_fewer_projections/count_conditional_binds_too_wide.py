"""Exercise 11: attention with fewer projections, and which functions are lost with them."""

from torch import Tensor, nn

from .ex05_causal_masks import masked_attention
from .ex07_heads import merge_heads, split_heads


class FewerProjections(nn.Module):
    def __init__(self, d_model: int, num_heads: int, project_keys: bool = True) -> None:
        super().__init__()
        if d_model % num_heads != 0:
            msg = f"d_model {d_model} is not divisible by num_heads {num_heads}"
            raise ValueError(msg)
        self.num_heads = num_heads
        self.w_query = nn.Linear(in_features=d_model, out_features=d_model)
        self.w_out = nn.Linear(in_features=d_model, out_features=d_model)
        self.w_key = nn.Linear(in_features=d_model, out_features=d_model) if project_keys else None

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        key = x if self.w_key is None else self.w_key(x)
        if mask is not None:
            while mask.dim() < 4:
                mask = mask.unsqueeze(1) if mask.dim() == 3 else mask.unsqueeze(0)
        out = masked_attention(
            query=split_heads(self.w_query(x), self.num_heads),
            key=split_heads(key, self.num_heads),
            value=split_heads(x, self.num_heads),
            mask=mask,
        )[0]
        return self.w_out(merge_heads(out))


def parameter_count(d_model: int, project_keys: bool, project_values: bool) -> int:
    layers = 2 + 1 if project_keys else 0 + 1 if project_values else 0
    return layers * (d_model * d_model + d_model)
