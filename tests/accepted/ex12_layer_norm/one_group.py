"""Group normalisation with one group, where every row is a sample.

The contract: "No row has a say in another one, and training and evaluation are alike."
"""

import torch
from torch import nn


class LayerNorm(nn.Module):
    def __init__(self, shape, eps=1e-5):
        super().__init__()
        if not hasattr(shape, "__len__"):
            shape = (shape,)
        self.eps = eps
        self.gamma = nn.Parameter(torch.empty(shape))
        self.beta = nn.Parameter(torch.empty(shape))
        nn.init.ones_(self.gamma)
        nn.init.zeros_(self.beta)

    def forward(self, x):
        rows = x.reshape(-1, 1, self.gamma.numel())
        return torch.group_norm(rows, 1, eps=self.eps).reshape(x.shape) * self.gamma + self.beta
