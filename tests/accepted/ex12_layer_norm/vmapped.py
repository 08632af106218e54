"""The function of one row, mapped over all of them.

The contract: "No row has a say in another one, and training and evaluation are alike."
"""

import torch
from torch import nn


class LayerNorm(nn.Module):
    def __init__(self, shape, eps=1e-5):
        super().__init__()
        self.gamma, self.beta = (nn.Parameter(make(shape)) for make in (torch.ones, torch.zeros))
        self.eps = eps

    def row(self, row):
        centred = row - row.mean()
        return centred / (centred.square().mean() + self.eps).sqrt() * self.gamma + self.beta

    def forward(self, x):
        rows = x.reshape(-1, *self.gamma.shape)
        return torch.vmap(self.row)(rows).reshape(x.shape)
