"""Exercise 12: layer normalisation."""

import torch
from torch import Tensor, nn


class LayerNorm(nn.Module):
    """Geometry: a centred row of n numbers is brought to length √n, softened by eps.

    √(|c|² / n + eps) = hypot(|c|, √(n·eps)) / √n
    """

    def __init__(self, shape: int | tuple[int, ...], eps: float = 1e-5) -> None:
        super().__init__()
        self.gamma = nn.Parameter(torch.ones(shape))
        self.beta = torch.nn.Parameter(torch.zeros_like(self.gamma))
        self.eps = eps

    def forward(self, x: Tensor) -> Tensor:
        axes = list(range(x.dim() - self.gamma.dim(), x.dim()))
        n = self.gamma.numel()
        centred = x.sub(x.mean(axes, keepdim=True))
        length = torch.linalg.vector_norm(centred, dim=axes, keepdim=True)
        softened = torch.hypot(length, torch.full_like(length, (n * self.eps) ** 0.5))
        return torch.addcmul(self.beta, centred * (n**0.5 / softened), self.gamma)
