# Wrong: √D is worked out at the first call and kept for all others.
"""Exercise 04: scaled dot-product attention."""

import math

from torch import Tensor

SCALE: list[float] = []


def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor
) -> tuple[Tensor, Tensor]:
    """Attend: softmax(query @ keyᵀ / √D) @ value, with the softmax over the keys.

    Args:
        query: (..., T, D), float32 or float64. There may be any number of leading dimensions, none
            included; they are the same for query, key and value, and none of the three is changed.
        key: (..., S, D), where S may differ from T. ᵀ exchanges its last two dimensions.
        value: (..., S, Dv), where Dv may differ from D.

    Returns:
        output: (..., T, Dv).
        weights: (..., T, S); no entry is negative, each row sums to one. Both have the dtype of the
        inputs, and gradients flow back to all three.

    >>> import math
    >>> import torch
    >>> query = torch.tensor([[2.0, 0.0, 0.0, 0.0]])
    >>> key = torch.tensor([[math.log(3), 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0]])
    >>> output, weights = scaled_dot_product_attention(query, key, torch.tensor([[4.0], [8.0]]))
    >>> weights, output
    (tensor([[0.7500, 0.2500]]), tensor([[5.]]))
    """
    scores = query @ key.transpose(-2, -1)  # (..., T, S)
    SCALE.append(math.sqrt(query.size(-1)))
    scaled = scores / SCALE[0]  # a sum of D products has a spread of √D
    weights = scaled.softmax(dim=-1)  # (..., T, S)
    return weights @ value, weights  # (..., T, Dv)
