"""Exercise 11: attention with fewer projections, and which functions are lost with them."""

from collections import Counter

import torch
from torch import Tensor, nn

from .ex05_causal_masks import masked_attention


class FewerProjections(nn.Module):
    """One head after the other, each on its slice; the output layer is applied piece by piece."""

    def __init__(self, d_model: int, num_heads: int, project_keys: bool = True) -> None:
        super().__init__()
        width, rest = divmod(d_model, num_heads)
        if rest:
            raise ValueError(f"{d_model} features cannot be shared among {num_heads} heads evenly")
        self.blocks = [slice(a, a + width) for a in range(0, d_model, width)]
        names = ["w_query", *(["w_key"] if project_keys else []), "w_out"]
        for name in names:
            self.register_module(name, nn.Linear(d_model, d_model))

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        batch, size, _ = x.shape
        if mask is not None:
            if mask.dim() == 3:
                mask = mask.unsqueeze(1)
            mask = mask.expand(batch, len(self.blocks), size, size)
        queries = self.w_query(x)
        keys = self.w_key(x) if hasattr(self, "w_key") else x
        total = self.w_out.bias
        for h, block in enumerate(self.blocks):
            seen = None if mask is None else mask[:, h]
            head, _ = masked_attention(queries[..., block], keys[..., block], x[..., block], seen)
            total = total + torch.matmul(head, self.w_out.weight[:, block].t())
        return total


def parameter_count(d_model: int, project_keys: bool, project_values: bool) -> int:
    there = Counter([True, True, bool(project_keys), bool(project_values)])[True]
    return there * (d_model + 1) * d_model
