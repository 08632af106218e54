"""A loop over the rows, each with Python's sums over its numbers.

The contract: "No row has a say in another one, and training and evaluation are alike."
"""

import torch
from torch import nn


def one_row(row, eps):
    n = len(row)
    mean = sum(row) / n
    variance = sum((each - mean) ** 2 for each in row) / n
    return torch.stack([(each - mean) / (variance + eps) ** 0.5 for each in row])


class LayerNorm(nn.Module):
    def __init__(self, shape, eps=1e-5):
        super().__init__()
        self.shape = (shape,) if isinstance(shape, int) else tuple(shape)
        self.eps = eps
        self.gamma = nn.Parameter(torch.ones(self.shape))
        self.beta = nn.Parameter(torch.zeros(self.shape))

    def forward(self, x):
        rows = [one_row(row.unbind(), self.eps) for row in x.reshape(-1, self.gamma.numel())]
        return torch.stack(rows).reshape(x.shape) * self.gamma + self.beta
