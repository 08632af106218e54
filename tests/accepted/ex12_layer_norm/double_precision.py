"""Computed in double precision and in place on tensors of its own, then brought back.

The contract: "It is not changed, and need not be contiguous."
"""

import torch
from torch import Tensor, nn


class LayerNorm(nn.Module):
    gamma: Tensor
    beta: Tensor

    def __init__(self, shape, eps=1e-5):
        super().__init__()
        sizes = torch.ones(shape).shape
        for name, value in (("gamma", 1.0), ("beta", 0.0)):
            setattr(self, name, nn.Parameter(torch.full(sizes, value)))
        self.eps = eps

    def forward(self, x):
        own = x.double().clone()
        places = list(range(-len(self.gamma.shape), 0))
        own -= own.mean(places, keepdim=True)
        own = own / own.pow(2).mean(places, keepdim=True).add_(self.eps).sqrt_()
        own *= self.gamma
        own += self.beta
        return own.to(x.dtype)
