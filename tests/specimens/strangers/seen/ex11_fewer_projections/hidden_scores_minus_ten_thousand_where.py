"""Exercise 11: attention with fewer projections, and which functions are lost with them."""

import torch
from torch import Tensor, nn

from .ex07_heads import merge_heads, split_heads


def attend(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None) -> Tensor:
    scores = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5
    if mask is not None:
        scores = torch.where(mask, scores, torch.tensor(-1e4, dtype=scores.dtype))
    return scores.softmax(dim=-1) @ v


class FewerProjections(nn.Module):
    def __init__(self, d_model: int, num_heads: int, project_keys: bool = True) -> None:
        super().__init__()
        if d_model % num_heads > 0:
            raise ValueError(f"width {d_model}, heads {num_heads}: does not divide")
        self.num_heads = num_heads
        self.project_keys = project_keys
        self.w_query = nn.Linear(d_model, d_model)
        self.w_key = nn.Linear(d_model, d_model) if project_keys else None
        self.w_out = nn.Linear(d_model, d_model)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        if mask is not None and mask.dim() == 3:
            mask = mask.unsqueeze(1)
        q = split_heads(self.w_query(x), self.num_heads)
        k = split_heads(self.w_key(x) if self.project_keys else x, self.num_heads)
        v = split_heads(x, self.num_heads)
        return self.w_out(merge_heads(attend(q, k, v, mask)))


def parameter_count(d_model: int, project_keys: bool, project_values: bool) -> int:
    layers = ["query", "out"]
    if project_keys:
        layers.append("key")
    if project_values:
        layers.append("value")
    return len(layers) * (d_model * d_model + d_model)
