"""Against "nobody waits longer than the limit": a module whose parameters never end."""

import torch
from torch import nn


class LayerNorm(nn.Module):
    def __init__(self, shape, eps=1e-5):
        super().__init__()
        self.own = nn.Parameter(torch.zeros(shape))

    def named_parameters(self, *args, **kwargs):
        number = 0
        while True:
            number += 1
            yield f"weight{number}", self.own

    def forward(self, x):
        return x
