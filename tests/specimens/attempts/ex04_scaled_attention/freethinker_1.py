"""Exercise 04: scaled dot-product attention."""

import math

import torch
from torch import Tensor


def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor
) -> tuple[Tensor, Tensor]:
    """Attend: softmax(query @ keyᵀ / √D) @ value, with the softmax over the keys.

    Args:
        query: (..., T, D). Any number of leading dimensions, none included; the same for all three.
        key: (..., S, D), where S may differ from T.
        value: (..., S, Dv), where Dv may differ from D.

    Returns:
        output: (..., T, Dv), in the dtype of the inputs.
        weights: (..., T, S); each row is positive and sums to one.

    >>> import torch
    >>> query = torch.tensor([[2.0, 0.0, 0.0, 0.0]])
    >>> key = torch.tensor([[math.log(3), 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0]])
    >>> output, weights = scaled_dot_product_attention(query, key, torch.tensor([[4.0], [8.0]]))
    >>> weights, output
    (tensor([[0.7500, 0.2500]]), tensor([[5.]]))
    """
    scaled = query / math.sqrt(query.shape[-1])  # before the product: keeps float16 from overflowing
    scores = torch.einsum("...td,...sd->...ts", scaled, key)
    weights = scores.softmax(dim=-1)
    return torch.einsum("...ts,...sd->...td", weights, value), weights
