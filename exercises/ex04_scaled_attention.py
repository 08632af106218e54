"""Exercise 04: scaled dot-product attention."""

if __name__ == "__main__":
    raise SystemExit(f"This file is run by its tests: pytest {__file__}")

import math

import torch
from torch import Tensor


def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor
) -> tuple[Tensor, Tensor]:
    """Attend: softmax(query @ keyᵀ / √D) @ value, with the softmax over the keys.

    Args:
        query: (..., T, D), float32 or float64. There may be any number of leading dimensions, none
            included; they are the same for query, key and value. None of the three is changed, and
            none need be contiguous.
        key: (..., S, D), where S may differ from T. ᵀ exchanges its last two dimensions.
        value: (..., S, Dv), where Dv may differ from D.

    Returns:
        output: (..., T, Dv).
        weights: (..., T, S); no entry is negative, and each row sums to one, for scores of up to
        ±1,000. Both have the dtype of the inputs, and gradients flow back through both.

    >>> import math
    >>> import torch
    >>> query = torch.tensor([[2.0, 0.0, 0.0, 0.0]])
    >>> key = torch.tensor([[math.log(3), 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0]])
    >>> output, weights = scaled_dot_product_attention(query, key, torch.tensor([[4.0], [8.0]]))
    >>> weights, output
    (tensor([[0.7500, 0.2500]]), tensor([[5.]]))
    """
    raise NotImplementedError("ex04 scaled_dot_product_attention: not written yet")
