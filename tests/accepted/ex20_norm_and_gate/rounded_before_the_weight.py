"""As Llama has it: back to the dtype of x before the product with weight, and float32 for all.

The contract: "The division and the product with weight may be done in the dtype of x."
"""

import torch
from torch import nn


class RMSNorm(nn.Module):
    def __init__(self, d_model, eps=1e-6):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(d_model))
        self.eps = eps

    def forward(self, x):
        size = (x.float().pow(2).mean(-1, keepdim=True) + self.eps).sqrt()
        return x / size.to(x.dtype) * self.weight.to(x.dtype)


class SwiGLU(nn.Module):
    def __init__(self, d_model, d_hidden):
        super().__init__()
        self.w_gate = nn.Linear(d_model, d_hidden, bias=False)
        self.w_up = nn.Linear(d_model, d_hidden, bias=False)
        self.w_down = nn.Linear(d_hidden, d_model, bias=False)
        self.act = nn.SiLU()

    def forward(self, x):
        up, gate = self.w_up(x), self.act(self.w_gate(x))
        return self.w_down(up * gate)
