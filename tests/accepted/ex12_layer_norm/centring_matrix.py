"""I - 1/n takes the mean away, and a product of the row with itself gives the variance.

The contract: "Subtract a row's mean, divide by √(variance + eps), multiply by gamma, add beta."
"""

import torch
from torch import nn


class LayerNorm(nn.Module):
    def __init__(self, shape, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.gamma = nn.Parameter(torch.ones(shape))
        self.beta = nn.Parameter(torch.zeros(shape))
        n = self.gamma.numel()
        self.register_buffer("centre", torch.eye(n) - 1 / n, persistent=False)

    def forward(self, x):
        rows = x.flatten(-self.gamma.dim()) @ self.centre
        variance = torch.einsum("...d,...d->...", rows, rows) / rows.size(-1)
        rows = rows / torch.sqrt(variance + self.eps).unsqueeze(-1)
        return rows.unflatten(-1, self.gamma.shape) * self.gamma + self.beta
