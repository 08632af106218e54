"""Exercise 12: layer normalisation."""

import torch
from torch import Tensor, nn


class LayerNorm(nn.Module):
    def __init__(self, shape: int | tuple[int, ...], eps: float = 1e-5) -> None:
        super().__init__()
        if isinstance(shape, int):
            shape = (shape,)
        self.dims = [-(i + 1) for i in range(len(shape))]
        self.eps = eps
        self.gamma = nn.Parameter(torch.ones(*shape))
        self.beta = nn.Parameter(torch.zeros(*shape))

    def forward(self, x: Tensor) -> Tensor:
        centred = x - x.mean(self.dims, keepdim=True)
        variance = centred.pow(2).mean(self.dims, keepdim=True)
        normed = centred / (variance.sqrt() + self.eps)
        return self.gamma * normed + self.beta
