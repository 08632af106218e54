"""Exercise 11: attention with fewer projections, and which functions are lost with them."""

from torch import Tensor, nn

from .ex05_causal_masks import masked_attention
from .ex07_heads import merge_heads, split_heads


class FewerProjections(nn.Module):
    def __init__(self, d_model: int, num_heads: int, project_keys: bool = True) -> None:
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError(f"d_model={d_model} is not divisible by num_heads={num_heads}")
        self.num_heads = num_heads
        self.w_query = nn.Linear(d_model, d_model)
        self.w_key = nn.Linear(d_model, d_model) if project_keys else None
        self.w_out = nn.Linear(d_model, d_model)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        query = split_heads(self.w_query(x), self.num_heads)
        # keys and values are the same thing here
        memory = x if self.w_key is None else self.w_key(x)
        memory = split_heads(memory, self.num_heads)
        if mask is not None and mask.dim() == 3:
            mask = mask.unsqueeze(1)
        output, _ = masked_attention(query, memory, memory, mask)
        return self.w_out(merge_heads(output))


def parameter_count(d_model: int, project_keys: bool, project_values: bool) -> int:
    projections = 2 + int(project_keys) + int(project_values)
    return projections * (d_model * d_model + d_model)
