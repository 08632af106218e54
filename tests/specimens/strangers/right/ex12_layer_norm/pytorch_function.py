"""Exercise 12: layer normalisation."""

import torch
from torch import Tensor, nn
from torch.nn import functional as F


class LayerNorm(nn.Module):
    """A thin coat around F.layer_norm."""

    def __init__(self, shape: int | tuple[int, ...], eps: float = 1e-5) -> None:
        super().__init__()
        self.eps = eps
        for name, make in (("gamma", torch.ones), ("beta", torch.zeros)):
            self.register_parameter(name, nn.Parameter(make(shape)))

    def forward(self, x: Tensor) -> Tensor:
        return F.layer_norm(x, self.gamma.shape, self.gamma, self.beta, self.eps)
