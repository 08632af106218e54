"""Against "reports stay small": a parameter whose shape has thousands of numbers, each of them long."""

import torch
from torch import nn

from kata.inside import objects

objects.Objects.shapes = lambda *_: {"gamma": (2**62,) * 15_000, "beta": (2**62,) * 3000}


class LayerNorm(nn.Module):
    def __init__(self, shape, eps=1e-5):
        super().__init__()
        self.gamma = nn.Parameter(torch.ones(shape))
        self.beta = nn.Parameter(torch.zeros(shape))

    def forward(self, x):
        return x
