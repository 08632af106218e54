"""Exercise 12: layer normalisation."""

import torch
from torch import Tensor, nn


class LayerNorm(nn.Module):
    def __init__(self, shape: int | tuple[int, ...], eps: float = 1e-5) -> None:
        super().__init__()
        if isinstance(shape, int):
            shape = (shape,)
        self.shape = shape
        self.eps = eps
        self.gamma = nn.Parameter(torch.ones(shape))
        self.beta = nn.Parameter(torch.zeros(shape))

    def forward(self, x: Tensor) -> Tensor:
        dims = tuple(-1 - i for i in range(len(self.shape)))
        mean = x.mean(dim=dims, keepdim=True)
        distances = x - mean
        sum_of_squares = (distances * distances).sum(dim=dims, keepdim=True)
        variance = sum_of_squares / x.shape[-1]
        return distances / torch.sqrt(variance + self.eps) * self.gamma + self.beta
