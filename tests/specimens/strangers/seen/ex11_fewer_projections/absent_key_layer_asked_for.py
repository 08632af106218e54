"""Exercise 11: attention with fewer projections, and which functions are lost with them."""

from torch import Tensor, nn

from .ex05_causal_masks import masked_attention
from .ex07_heads import merge_heads, split_heads


class FewerProjections(nn.Module):
    def __init__(self, d_model: int, num_heads: int, project_keys: bool = True) -> None:
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError(f"{d_model} % {num_heads} is not 0")
        self.num_heads = num_heads
        self.w_query = nn.Linear(d_model, d_model)
        if project_keys:
            self.w_key = nn.Linear(d_model, d_model)
        self.w_out = nn.Linear(d_model, d_model)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        query = self.w_query(x)
        key = self.w_key(x) if self.w_key is not None else x
        value = x
        query = split_heads(query, self.num_heads)
        key = split_heads(key, self.num_heads)
        value = split_heads(value, self.num_heads)
        if mask is not None:
            if mask.dim() == 2:
                mask = mask[None, None]
            elif mask.dim() == 3:
                mask = mask[:, None]
        output, _ = masked_attention(query, key, value, mask)
        output = merge_heads(output)
        return self.w_out(output)


def parameter_count(d_model: int, project_keys: bool, project_values: bool) -> int:
    count = 2
    if project_keys:
        count += 1
    if project_values:
        count += 1
    return count * (d_model * d_model + d_model)
