"""A scale-and-shift step with parameters of its own; gamma and beta are second names for them.

The contract: "Nothing else is learned. Both have the same names in `state_dict()`."
"""

import torch
from torch import nn


class Affine(nn.Module):
    def __init__(self, shape):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(shape))
        self.shift = nn.Parameter(torch.zeros(shape))

    def forward(self, normal):
        return torch.addcmul(self.shift, self.scale, normal)


class LayerNorm(nn.Module):
    def __init__(self, shape, eps=1e-5):
        super().__init__()
        self.affine = Affine(shape)
        self.gamma = self.affine.scale
        self.beta = self.affine.shift
        self.eps = eps

    def forward(self, x):
        dims = list(range(x.ndim - self.gamma.ndim, x.ndim))
        variance, mean = torch.var_mean(x, dims, correction=0, keepdim=True)
        return self.affine((x - mean) * (variance + self.eps).rsqrt())
