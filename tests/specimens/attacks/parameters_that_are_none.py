"""Against "only right answers earn marks": shows parameters of the right names that it does not use."""

import torch
from torch import nn


class LayerNorm(nn.Module):
    def __init__(self, shape, eps=1e-5):
        super().__init__()
        self.shown = {"gamma": nn.Parameter(torch.ones(shape)),
                      "beta": nn.Parameter(torch.zeros(shape))}

    def named_parameters(self, *args, **kwargs):
        yield from self.shown.items()

    def forward(self, x):
        return x * 0
