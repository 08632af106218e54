"""Exercise 12: layer normalisation."""

import torch
from torch import Tensor, nn


class LayerNorm(nn.Module):
    """Give the last dimensions mean 0 and variance 1, then a learned scale and shift.

    Args:
        shape: the sizes of the last dimensions, which are normalised together; an int means one.
        eps: added to the variance, inside the root.

    Attributes:
        gamma, beta: nn.Parameter of that shape, ones and zeros at first.
    """

    def __init__(self, shape: int | tuple[int, ...], eps: float = 1e-5) -> None:
        super().__init__()
        sizes = (shape,) if isinstance(shape, int) else tuple(shape)
        self.dims = tuple(range(-len(sizes), 0))
        self.eps = eps
        self.gamma = nn.Parameter(torch.ones(sizes))
        self.beta = nn.Parameter(torch.zeros(sizes))

    def forward(self, x: Tensor) -> Tensor:
        """Normalise x of shape (..., *shape) with its biased variance.

        >>> LayerNorm(4)(torch.tensor([[1.0, 3.0, 1.0, 3.0]])).round(decimals=3).tolist()
        [[-1.0, 1.0, -1.0, 1.0]]
        """
        mean = x.mean(dim=self.dims, keepdim=True)  # (..., 1)
        variance = x.var(dim=self.dims, correction=0, keepdim=True)  # (..., 1)
        normal = (x - mean) / (variance + self.eps).sqrt()  # (..., *shape)
        return self.gamma * normal + self.beta
