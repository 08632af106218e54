"""Exercise 11: attention with fewer projections, and which functions are lost with them."""

import torch
from torch import Tensor, nn

from .ex05_causal_masks import masked_attention


class FewerProjections(nn.Module):
    def __init__(self, d_model: int, num_heads: int, project_keys: bool = True) -> None:
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError(f"d_model={d_model}, num_heads={num_heads}")
        self.num_heads = num_heads
        self.head_dim = d_model // num_heads
        self.w_query = nn.Linear(d_model, d_model)
        self.w_key = nn.Linear(d_model, d_model) if project_keys else None
        self.w_out = nn.Linear(d_model, d_model)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        batch, size, _ = x.shape
        if mask is not None:
            if mask.dim() == 3:
                mask = mask.view(batch, 1, size, size)
            mask = mask.expand(batch, self.num_heads, size, size)
        queries = self.w_query(x)
        keys = x if self.w_key is None else self.w_key(x)
        outputs = []
        for h in range(self.num_heads):
            part = slice(h * self.head_dim, (h + 1) * self.head_dim)
            m = None if mask is None else mask[:, h]
            out, _ = masked_attention(queries[..., part], keys[..., part], x[..., part], m)
            outputs.append(out)
        return self.w_out(torch.cat(outputs, dim=-1))


def parameter_count(d_model: int, project_keys: bool, project_values: bool) -> int:
    numbers = {(False, False): 2, (True, False): 3, (False, True): 3, (True, True): 4}
    return numbers[(project_keys, project_values)] * (d_model**2 + d_model)
