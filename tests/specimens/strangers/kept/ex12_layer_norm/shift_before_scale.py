"""Exercise 12: layer normalisation."""

import torch
from torch import Tensor, nn


def standardise(x: Tensor, dims: tuple[int, ...], eps: float) -> Tensor:
    mu = torch.mean(x, dim=dims, keepdim=True)
    sigma2 = torch.mean((x - mu) ** 2, dim=dims, keepdim=True)
    return (x - mu) / (sigma2 + eps) ** 0.5


class LayerNorm(nn.Module):
    def __init__(self, shape: int | tuple[int, ...], eps: float = 1e-5) -> None:
        super().__init__()
        shape = shape if isinstance(shape, tuple) else (shape,)
        self.dims = tuple(-d for d in range(1, len(shape) + 1))
        self.eps = eps
        self.gamma = nn.Parameter(torch.ones(shape))
        self.beta = nn.Parameter(torch.zeros(shape))

    def forward(self, x: Tensor) -> Tensor:
        return self.gamma * (standardise(x, self.dims, self.eps) + self.beta)
