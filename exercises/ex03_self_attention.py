"""Exercise 03: self-attention with weights that can be learned."""

if __name__ == "__main__":
    raise SystemExit(f"This file is run by its tests: pytest {__file__}")

import math

import torch
from torch import Tensor, nn


def self_attention(x: Tensor, w_query: Tensor, w_key: Tensor, w_value: Tensor) -> Tensor:
    """Let each token read all tokens: softmax(q @ kᵀ / √d_out) @ v, with the softmax over the keys.

    Every token is projected three times: q = x @ w_query, k = x @ w_key, v = x @ w_value. ᵀ
    exchanges the last two dimensions of k. No argument is changed, and none need be contiguous.
    Gradients flow back to all four.

    Args:
        x: (..., S, d_in): S tokens. There may be any number of leading dimensions, none included.
        w_query: (d_in, d_out).
        w_key: (d_in, d_out).
        w_value: (d_in, d_out).

    Returns:
        (..., S, d_out): for each token one mixture of all values, right for scores of up to ±1,000.

    >>> import math
    >>> import torch
    >>> x = torch.eye(2)  # with it the rows of a matrix are the projected tokens
    >>> w_query = torch.tensor([[2.0, 0.0, 0.0, 0.0], [0.0, 2.0, 0.0, 0.0]])
    >>> w_key = torch.tensor([[math.log(3), 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0]])
    >>> w_value = torch.tensor([[4.0, 0.0, 4.0, 8.0], [8.0, 4.0, 4.0, 0.0]])
    >>> contexts = self_attention(x, w_query, w_key, w_value)
    >>> contexts.round(decimals=3)  # weights: 3/4 and 1/4, then 1/2 and 1/2
    tensor([[5., 1., 4., 6.],
            [6., 2., 4., 4.]])
    """
    raise NotImplementedError("ex03 self_attention: not written yet")


class SelfAttention(nn.Module):
    """Self-attention that keeps its three projections and can be trained.

    Args:
        d_in: the width of a token.
        d_out: the width of queries, keys and values, and so of the output.
        bias: whether the three projections have a bias, all of them or none.

    Attributes:
        w_query, w_key, w_value: nn.Linear from d_in to d_out features, with the same names in
            `state_dict()`.
    """

    def __init__(self, d_in: int, d_out: int, bias: bool = False) -> None:
        super().__init__()
        raise NotImplementedError("ex03 SelfAttention.__init__: not written yet")

    def forward(self, x: Tensor) -> Tensor:
        """Project each token with the three layers, and attend as `self_attention` does.

        Training and evaluation are the same. x is not changed, and need not be contiguous.

        Args:
            x: (..., S, d_in), with any number of leading dimensions, none included.

        Returns:
            (..., S, d_out).

        >>> import torch
        >>> SelfAttention(d_in=3, d_out=2)(torch.ones(4, 3)).shape
        torch.Size([4, 2])
        """
        raise NotImplementedError("ex03 SelfAttention.forward: not written yet")
