"""Exercise 11: attention with fewer projections, and which functions are lost with them."""

import math

import torch
from torch import Tensor, nn


class FewerProjections(nn.Module):
    def __init__(self, d_model: int, num_heads: int, project_keys: bool = True) -> None:
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("d_model %d must be divisible by num_heads %d" % (d_model, num_heads))
        self.d_model, self.num_heads, self.head_dim = d_model, num_heads, d_model // num_heads
        self.w_query = nn.Linear(d_model, d_model)
        self.w_key = nn.Linear(d_model, d_model) if project_keys else None
        self.w_out = nn.Linear(d_model, d_model)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        batch, seq, _ = x.shape
        shape = (batch, seq, self.num_heads, self.head_dim)
        q = self.w_query(x).reshape(shape)
        k = (self.w_key(x) if self.w_key is not None else x).reshape(shape)
        v = x.reshape(shape)
        energy = torch.einsum("nqhd,nkhd->nhqk", [q, k])
        if mask is not None:
            if mask.dim() == 3:
                mask = mask.unsqueeze(1)
            energy = energy.masked_fill(mask == 0, float("-1e20"))
        attention = torch.softmax(energy / math.sqrt(self.d_model), dim=3)
        out = torch.einsum("nhqk,nkhd->nqhd", [attention, v]).reshape(batch, seq, self.d_model)
        return self.w_out(out)


def parameter_count(d_model: int, project_keys: bool, project_values: bool) -> int:
    return (2 + project_keys + project_values) * (d_model**2 + d_model)
