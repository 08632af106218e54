"""Forward and backward both written out, as autograd functions.

The contract: "A row of zeros stays zero, and its gradient is finite."
"""

import torch
from torch import nn


class Normalise(torch.autograd.Function):
    @staticmethod
    def forward(ctx, rows, eps):
        inverse = (rows.pow(2).mean(-1, keepdim=True) + eps).rsqrt()
        ctx.save_for_backward(rows * inverse, inverse)
        return rows * inverse

    @staticmethod
    def backward(ctx, gradient):
        normal, inverse = ctx.saved_tensors
        along = (gradient * normal).mean(-1, keepdim=True)
        return inverse * (gradient - normal * along), None


class Gate(torch.autograd.Function):
    @staticmethod
    def forward(ctx, gate, up):
        ctx.save_for_backward(gate, up)
        return gate * gate.sigmoid() * up

    @staticmethod
    def backward(ctx, gradient):
        gate, up = ctx.saved_tensors
        opened = gate.sigmoid()
        slope = opened * (1 + gate * (1 - opened))
        return gradient * up * slope, gradient * gate * opened


class RMSNorm(nn.Module):
    def __init__(self, d_model, eps=1e-6):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d_model))

    def forward(self, x):
        normal = Normalise.apply(x.to(torch.float64), self.eps)
        return torch.mul(normal, self.weight).to(x.dtype)


class SwiGLU(nn.Module):
    def __init__(self, d_model, d_hidden):
        super().__init__()
        self.w_gate = nn.Linear(d_model, d_hidden, bias=False)
        self.w_up = nn.Linear(d_model, d_hidden, bias=False)
        self.w_down = nn.Linear(d_hidden, d_model, bias=False)

    def forward(self, x):
        return self.w_down(Gate.apply(self.w_gate(x), self.w_up(x)))
