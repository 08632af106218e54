"""Every sum as an einsum, and the sigmoid as a hyperbolic tangent.

The contract: "SiLU(z) is z · sigmoid(z), with sigmoid(z) = 1 / (1 + exp(−z))."
"""

import torch
from torch import einsum, nn


class RMSNorm(nn.Module):
    def __init__(self, d_model, eps=1e-6):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d_model))

    def forward(self, x):
        rows = x.double()
        squares = einsum("...e,...e->...", rows, rows) / x.shape[-1]
        inverse = 1 / torch.sqrt(squares + self.eps)
        return einsum("...e,...,e->...e", rows, inverse, self.weight.double()).type_as(x)


class SwiGLU(nn.Module):
    def __init__(self, d_model, d_hidden):
        super().__init__()
        self.w_gate = nn.Linear(d_model, d_hidden, bias=False)
        self.w_up = nn.Linear(d_model, d_hidden, bias=False)
        self.w_down = nn.Linear(d_hidden, d_model, bias=False)

    def forward(self, x):
        gate = einsum("...e,fe->...f", x, self.w_gate.weight)
        up = einsum("...e,fe->...f", x, self.w_up.weight)
        opened = (1 + torch.tanh(gate / 2)) / 2
        return einsum("...f,...f,...f,ef->...e", gate, opened, up, self.w_down.weight)
