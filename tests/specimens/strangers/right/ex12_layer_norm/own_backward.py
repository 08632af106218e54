"""Exercise 12: layer normalisation."""

import torch
from torch import Tensor, nn


class _Normalise(torch.autograd.Function):
    """(x − mean) / √(variance + eps) over the last dims, with the gradient written by hand."""

    @staticmethod
    def forward(ctx, x: Tensor, dims: tuple[int, ...], eps: float) -> Tensor:
        centred = x - x.mean(dims, keepdim=True)
        factor = (centred.square().mean(dims, keepdim=True) + eps).rsqrt()
        out = centred * factor
        ctx.save_for_backward(out, factor)
        ctx.dims = dims
        return out

    @staticmethod
    def backward(ctx, grad: Tensor):
        out, factor = ctx.saved_tensors
        grad_mean = grad.mean(ctx.dims, keepdim=True)
        along_out = (grad * out).mean(ctx.dims, keepdim=True)
        return factor * (grad - grad_mean - out * along_out), None, None


class LayerNorm(nn.Module):
    def __init__(self, shape: int | tuple[int, ...], eps: float = 1e-5) -> None:
        super().__init__()
        self.gamma = nn.Parameter(torch.ones(shape))
        self.beta = nn.Parameter(torch.zeros(shape))
        self.eps = eps
        self.dims = tuple(range(-self.gamma.dim(), 0))

    def forward(self, x: Tensor) -> Tensor:
        return _Normalise.apply(x, self.dims, self.eps) * self.gamma + self.beta
