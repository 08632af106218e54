"""Exercise 12: layer normalisation."""

import torch
from torch import Tensor, nn


class LayerNorm(nn.Module):
    def __init__(self, shape: int | tuple[int, ...], eps: float = 1e-5) -> None:
        super().__init__()
        self.shape = (shape,) if isinstance(shape, int) else tuple(shape)
        self.eps = eps
        self.gamma = nn.Parameter(torch.ones(self.shape))
        self.beta = nn.Parameter(torch.zeros(self.shape))

    def forward(self, x: Tensor) -> Tensor:
        dims = tuple(range(-len(self.shape), 0))
        mean = x.mean(dim=dims, keepdim=True)
        var = x.var(dim=dims, keepdim=True)
        return (x - mean) / torch.sqrt(var + self.eps) * self.gamma + self.beta
