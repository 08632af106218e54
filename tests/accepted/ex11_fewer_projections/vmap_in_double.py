"""One head of one sample, mapped over both by torch.func.vmap, in float64 and back.

The contract: "The output alone, without weights: (B, S, E)."
"""

import torch
from torch import nn
from torch.func import vmap


def attend(query, key, value, keep):
    """One head of one sample, from matrices (S, D)."""
    quarter = query.size(-1) ** -0.25
    scores = (query * quarter) @ (key * quarter).T + keep.log()
    return torch.nn.functional.softmin(-scores, dim=1) @ value


class FewerProjections(nn.Module):
    def __init__(self, d_model, num_heads, project_keys=True):
        super().__init__()
        if rest := d_model % num_heads:
            raise ValueError(f"{rest} of {d_model} features are left over by {num_heads} heads")
        self.num_heads = num_heads
        self.w_query, self.w_out = (nn.Linear(d_model, d_model) for _ in range(2))
        self.w_key = nn.Linear(d_model, d_model) if project_keys else ()

    def forward(self, x, mask=None):
        batch, length, _ = x.shape
        mask = x.new_ones(1, 1).bool() if mask is None else mask
        mask = mask[:, None] if mask.dim() == 3 else mask
        keep = mask.expand(batch, self.num_heads, length, length).double()
        keys = x if not self.w_key else self.w_key(x)
        split = [
            torch.stack(each.double().tensor_split(self.num_heads, dim=-1), dim=1)
            for each in (self.w_query(x), keys, x)
        ]
        heads = vmap(vmap(attend))(*split, keep).to(x.dtype)
        return self.w_out(torch.cat(heads.unbind(1), dim=-1))


def parameter_count(d_model, project_keys, project_values):
    count = 2 * (d_model * d_model + d_model)
    count += (d_model * d_model + d_model) if project_keys else 0
    count += (d_model * d_model + d_model) if project_values else 0
    return count
