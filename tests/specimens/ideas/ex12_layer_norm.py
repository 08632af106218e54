"""Layer normalisation over the features of a token."""

import torch
from torch import Tensor, nn


class LayerNorm(nn.Module):
    """Give each token mean 0 and variance 1, then a learned scale and shift."""

    def __init__(self, shape: int | tuple[int, ...], eps: float = 1e-5) -> None:
        super().__init__()
        self.eps = eps
        self.gamma = nn.Parameter(torch.ones(shape))
        self.beta = nn.Parameter(torch.zeros(shape))

    def forward(self, x: Tensor) -> Tensor:
        """Subtract the mean, divide by the deviation, scale and shift."""
        mean = x.mean(dim=-1, keepdim=True)
        variance = x.var(dim=-1, keepdim=True, unbiased=False)
        return self.gamma * (x - mean) / torch.sqrt(variance + self.eps) + self.beta
