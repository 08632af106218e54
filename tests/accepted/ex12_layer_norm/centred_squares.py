"""The deviations are taken once and used twice; dimensions are counted from the end one by one.

The contract: "The variance is the biased one: the mean of the squared distances from the mean."
"""

import torch
from torch import nn


class LayerNorm(nn.Module):
    def __init__(self, shape, eps=1e-5):
        super().__init__()
        try:
            self.shape = torch.Size(shape)
        except TypeError:
            self.shape = torch.Size([shape])
        self.eps = eps
        self.register_parameter("beta", nn.Parameter(torch.zeros(self.shape)))
        self.register_parameter("gamma", nn.Parameter(torch.ones(self.shape)))

    def forward(self, inputs):
        dims = [-(i + 1) for i in range(len(self.shape))]
        deviations = inputs - inputs.mean(dim=dims, keepdim=True)
        scale = torch.rsqrt(deviations.square().mean(dim=dims, keepdim=True) + self.eps)
        return torch.addcmul(self.beta, deviations * scale, self.gamma)
