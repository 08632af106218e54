"""All in rows of one dimension: flatten, var_mean, and back.

The contract: "A row is what the last dimensions hold for one place in all others"
"""

import math

import torch
from torch import Tensor, nn


class LayerNorm(nn.Module):
    def __init__(self, shape: int | tuple[int, ...], eps: float = 1e-5):
        super().__init__()
        if isinstance(shape, int):
            shape = (shape,)
        self.length, self.eps = math.prod(shape), eps
        self.gamma = nn.Parameter(torch.ones(shape))
        self.beta = nn.Parameter(torch.zeros(shape))

    def forward(self, x: Tensor) -> Tensor:
        rows = x.reshape(-1, self.length)
        variance, mean = torch.var_mean(rows, dim=1, unbiased=False)
        rows = (rows - mean[:, None]) * (variance[:, None] + self.eps) ** -0.5
        return (rows * self.gamma.flatten() + self.beta.flatten()).view(x.shape)
