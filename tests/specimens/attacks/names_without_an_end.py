"""Against "reports stay small": hundreds of parameters, all of which a message would name."""

import torch
from torch import nn


class LayerNorm(nn.Module):
    def __init__(self, shape, eps=1e-5):
        super().__init__()
        self.other = nn.Parameter(torch.ones(shape))

    def named_parameters(self, *args, **kwargs):
        for number in range(300):
            yield "n" * 1000 + str(number), self.other

    def forward(self, x):
        return x
