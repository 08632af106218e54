"""Exercise 12: layer normalisation."""

import torch
from torch import Tensor, nn


class LayerNorm(nn.Module):
    def __init__(self, shape: int | tuple[int, ...], eps: float = 1e-5) -> None:
        super().__init__()
        self.normalized_shape = (shape,) if isinstance(shape, int) else tuple(shape)
        self.eps = eps
        self.gamma = nn.Parameter(torch.empty(self.normalized_shape))
        self.beta = nn.Parameter(torch.empty(self.normalized_shape))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        nn.init.normal_(self.gamma, mean=1.0, std=0.02)
        nn.init.zeros_(self.beta)

    def forward(self, x: Tensor) -> Tensor:
        return nn.functional.layer_norm(
            x, self.normalized_shape, weight=self.gamma, bias=self.beta, eps=self.eps
        )
