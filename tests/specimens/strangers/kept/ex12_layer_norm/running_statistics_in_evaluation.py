"""Exercise 12: layer normalisation."""

import torch
from torch import Tensor, nn


class LayerNorm(nn.Module):
    def __init__(
        self, shape: int | tuple[int, ...], eps: float = 1e-5, momentum: float = 0.1
    ) -> None:
        super().__init__()
        shape = (shape,) if isinstance(shape, int) else shape
        self.axes = tuple(range(-len(shape), 0))
        self.eps, self.momentum = eps, momentum
        self.gamma = nn.Parameter(torch.ones(shape))
        self.beta = nn.Parameter(torch.zeros(shape))
        self.register_buffer("running_mean", torch.tensor(0.0))
        self.register_buffer("running_var", torch.tensor(1.0))

    def forward(self, x: Tensor) -> Tensor:
        if self.training:
            mean = x.mean(self.axes, keepdim=True)
            var = x.var(self.axes, unbiased=False, keepdim=True)
            with torch.no_grad():
                self.running_mean.lerp_(mean.mean(), self.momentum)
                self.running_var.lerp_(var.mean(), self.momentum)
        else:
            mean, var = self.running_mean, self.running_var
        return self.gamma * (x - mean) / torch.sqrt(var + self.eps) + self.beta
