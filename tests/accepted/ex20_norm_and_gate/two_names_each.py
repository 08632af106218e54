"""Parts with parameters of their own; the names of the contract are second names for them.

The contract: "It has the same name in `state_dict()`, which may have further ones."
"""

import torch
from torch import nn


class Scale(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.gain = nn.Parameter(torch.ones(width))

    def forward(self, normal):
        return normal * self.gain


class RMSNorm(nn.Module):
    def __init__(self, d_model, eps=1e-6):
        super().__init__()
        self.scale = Scale(d_model)
        self.weight = self.scale.gain
        self.eps = eps

    def forward(self, x):
        wide = x.to(torch.float64)
        mean = (wide * wide).sum(-1, keepdim=True) / x.shape[-1]
        return self.scale(wide * torch.pow(mean + self.eps, -0.5)).to(x.dtype)


class SwiGLU(nn.Module):
    def __init__(self, d_model, d_hidden):
        super().__init__()
        self.inner = nn.ModuleDict(
            {
                "gate": nn.Linear(d_model, d_hidden, bias=False),
                "up": nn.Linear(d_model, d_hidden, bias=False),
                "down": nn.Linear(d_hidden, d_model, bias=False),
            }
        )
        self.w_gate, self.w_up, self.w_down = self.inner.values()

    def forward(self, x):
        hidden = nn.functional.silu(self.inner["gate"](x)).mul(self.inner["up"](x))
        return self.inner["down"](hidden)
