"""The deviation with n - 1, squared and corrected to n; a row of one number has none.

The contract: "The variance is the biased one: the mean of the squared distances from the mean."
"""

import torch
from torch import nn


class LayerNorm(nn.Module):
    def __init__(self, shape, eps=1e-5):
        super().__init__()
        self.gamma = nn.Parameter(torch.ones(shape))
        self.beta = nn.Parameter(torch.zeros(shape))
        self.eps = eps

    def forward(self, x):
        over = tuple(range(x.ndim - self.gamma.ndim, x.ndim))
        n = self.gamma.numel()
        centred = x - x.mean(over, keepdim=True)
        if n == 1:
            return self.gamma * centred + self.beta
        biased = x.std(over, keepdim=True) ** 2 * ((n - 1) / n)
        return self.gamma * (centred / torch.sqrt(biased + self.eps)) + self.beta
