"""Gate and up from one product, joined anew in each call; the size of a row from its length.

The contract: "w_up goes through as it is."
"""

import math

import torch
from torch import nn


class RMSNorm(nn.Module):
    def __init__(self, d_model, eps=1e-6):
        super().__init__()
        self.floor = math.sqrt(eps)
        self.weight = nn.Parameter(torch.ones(d_model))

    def forward(self, x):
        wide = x.double() if x.dtype == torch.float64 else x.float()
        length = torch.linalg.vector_norm(wide, dim=-1, keepdim=True)
        size = torch.hypot(length / math.sqrt(x.size(-1)), length.new_tensor(self.floor))
        return ((wide / size) * self.weight).to(x.dtype)


class SwiGLU(nn.Module):
    def __init__(self, d_model, d_hidden):
        super().__init__()
        self.w_gate = nn.Linear(d_model, d_hidden, bias=False)
        self.w_up = nn.Linear(d_model, d_hidden, bias=False)
        self.w_down = nn.Linear(d_hidden, d_model, bias=False)

    def forward(self, x):
        joined = torch.cat([self.w_gate.weight, self.w_up.weight])
        gate, up = nn.functional.linear(x, joined).tensor_split(2, dim=-1)
        return nn.functional.linear(nn.functional.silu(gate) * up, self.w_down.weight)
