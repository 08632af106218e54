"""Exercise 20: what newer models have in place of LayerNorm and of the ReLU network."""

import torch
from torch import Tensor, nn


class RMSNorm(nn.Module):
    """Divide each row by the root of the mean of its squares; then a learned scale.

    Unlike LayerNorm it subtracts no mean and learns no shift.

    Args:
        d_model: E, the length of a row.
        eps: 1e-12 or more; added to the mean of the squares, inside the root.

    Attributes:
        weight: nn.Parameter (E,), the scale, ones at first. Nothing else is learned. It has the
            same name in `state_dict()`, which may have further ones.
    """

    def __init__(self, d_model: int, eps: float = 1e-6) -> None:
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d_model))

    def forward(self, x: Tensor) -> Tensor:
        """Multiply each row by weight / √(mean of its squares + eps).

        No row has a say in another one, and training and evaluation are alike. A row of zeros stays
        zero, and its gradient is finite. Squares, their mean and its root are computed in float32
        at least, which will do for float64, too: float16 cannot hold the square of 60,000, nor that
        of 0.0001. The division and the product with weight may be done in the dtype of x.

        Args:
            x: (..., E), numbers between −60,000 and 60,000, with any number of dimensions before,
                also none. It and weight are float16, float32 or float64, and may differ in that. It
                is not changed, and need not be contiguous.

        Returns:
            (..., E), in the dtype of x, whatever that of weight is.

        >>> RMSNorm(2)(torch.tensor([[3.0, -4.0]])).detach()
        tensor([[ 0.8485, -1.1314]])
        """
        wide = x.to(torch.promote_types(x.dtype, torch.float32))  # (..., E)
        mean = wide.square().mean(dim=-1, keepdim=True)  # (..., 1)
        normal = wide * (mean + self.eps).rsqrt()  # (..., E)
        return (self.weight * normal).to(x.dtype)  # (..., E)


class SwiGLU(nn.Module):
    """A feed-forward network with a gate, applied to each token by itself.

    Args:
        d_model: E, the width of input and output.
        d_hidden: F, the width of gate and values.

    Attributes:
        w_gate: nn.Linear from E to F features, without a bias.
        w_up: nn.Linear from E to F features, without a bias.
        w_down: nn.Linear from F to E features, without a bias. Nothing else is learned. All have
            the same names in `state_dict()`, which may have further ones.
    """

    def __init__(self, d_model: int, d_hidden: int) -> None:
        super().__init__()
        self.w_gate = nn.Linear(d_model, d_hidden, bias=False)
        self.w_up = nn.Linear(d_model, d_hidden, bias=False)
        self.w_down = nn.Linear(d_hidden, d_model, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        """Let SiLU of w_gate say how much of w_up goes through to w_down.

        SiLU(z) is z · sigmoid(z), with sigmoid(z) = 1 / (1 + exp(−z)). What w_gate gives may lie
        anywhere between −10,000 and 10,000; results and gradients are finite there. w_up goes
        through as it is. Training and evaluation are alike: nothing is dropped.

        Args:
            x: (..., E), float32 or float64, like the weights, with any number of dimensions before,
                also none. It is not changed, and need not be contiguous.

        Returns:
            (..., E), in the dtype of x. There is no residual connection: the result is not added to
            x here.

        >>> SwiGLU(4, 8)(torch.zeros(2, 3, 4)).shape
        torch.Size([2, 3, 4])
        """
        gate = self.w_gate(x)  # (..., F)
        hidden = gate * gate.sigmoid() * self.w_up(x)  # (..., F)
        return self.w_down(hidden)  # (..., E)
