"""The projections live in a ModuleDict, and each has the name of the contract besides.

The contract: "There never is one for values, and no parameter beside those of these Linears."
"""

import torch
from torch import nn

from .ex05_causal_masks import masked_attention
from .ex07_heads import merge_heads, split_heads


class FewerProjections(nn.Module):
    def __init__(self, d_model, num_heads, project_keys=True):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError(f"{num_heads} heads do not divide {d_model}")
        inputs = ("query", "key") if project_keys else ("query",)
        self.projections = nn.ModuleDict(
            {name: nn.Linear(d_model, d_model) for name in (*inputs, "out")}
        )
        for name, linear in self.projections.items():
            setattr(self, f"w_{name}", linear)
        self.num_heads = num_heads

    def _project(self, name, x):
        return self.projections[name](x) if name in self.projections else x

    def forward(self, x, mask=None):
        parts = [split_heads(self._project(name, x), self.num_heads) for name in ("query", "key")]
        values = split_heads(x, self.num_heads)
        if mask is not None and mask.ndim == 3:
            mask = torch.unsqueeze(mask, 1)
        mixed = masked_attention(*parts, values, mask)[0]
        return self.projections["out"](merge_heads(mixed))


def parameter_count(d_model, project_keys, project_values):
    one = d_model * d_model + d_model
    return one + (one if project_keys else 0) + (one if project_values else 0) + one
