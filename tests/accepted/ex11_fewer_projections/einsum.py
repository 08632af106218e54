"""Letters all the way; the key layer is an nn.Identity where there is none.

The contract: "otherwise it is None, absent, or an nn.Identity."
"""

import torch
from torch import nn


class FewerProjections(nn.Module):
    def __init__(self, d_model, num_heads, project_keys=True):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError(f"d_model={d_model} cannot be split into num_heads={num_heads} heads")
        self.fold = (num_heads, d_model // num_heads)
        self.w_out = nn.Linear(d_model, d_model)
        self.w_query = nn.Linear(d_model, d_model)
        self.w_key = nn.Linear(d_model, d_model) if project_keys else nn.Identity()

    def forward(self, x, mask=None):
        q = self.w_query(x).unflatten(-1, self.fold)
        k = self.w_key(x).unflatten(-1, self.fold)
        v = x.unflatten(-1, self.fold)
        scores = torch.einsum("bthd,bshd->bhts", q, k) * self.fold[1] ** -0.5
        if mask is not None:
            mask = mask[:, None] if mask.ndim == 3 else mask
            scores = torch.where(mask, scores, -torch.inf)
        context = torch.einsum("bhts,bshd->bthd", scores.softmax(-1), v)
        return self.w_out(context.flatten(2))


def parameter_count(d_model, project_keys, project_values):
    count = 0
    for there in (True, project_keys, project_values, True):
        if there:
            count += d_model * (d_model + 1)
    return count
