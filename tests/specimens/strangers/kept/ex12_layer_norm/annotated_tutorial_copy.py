"""Exercise 12: layer normalisation."""

import torch
from torch import Tensor, nn


class LayerNorm(nn.Module):
    """Construct a layernorm module."""

    def __init__(self, shape: int | tuple[int, ...], eps: float = 1e-6) -> None:
        super(LayerNorm, self).__init__()
        size = (shape,) if isinstance(shape, int) else shape
        self.n = len(size)
        self.gamma = nn.Parameter(torch.ones(size))
        self.beta = nn.Parameter(torch.zeros(size))
        self.eps = eps

    def forward(self, x: Tensor) -> Tensor:
        axes = tuple(range(x.dim() - self.n, x.dim()))
        mean = x.mean(axes, keepdim=True)
        std = x.std(axes, keepdim=True)
        return self.gamma * (x - mean) / (std + self.eps) + self.beta
