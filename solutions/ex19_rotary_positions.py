"""Exercise 19: rotary positions. A query or key is turned by angles that grow with its position.

The D features of a head form D / 2 pairs. At position p, pair i turns by the angle p · base^(−2i /
D): the first pair fastest, the last one slowest. Then the score of a query and a key depends on how
far apart they are, not on where they are. Which two features make a pair differs from model to
model, so there are two ways to turn, and one function that leads from one to the other.
"""

import torch
from torch import Tensor


def rotation_table(length: int, head_dim: int, base: float = 10_000.0) -> tuple[Tensor, Tensor]:
    """Give the cosine and the sine of every angle, for each position and each pair of features.

    Args:
        length: the number of positions, which count from 0; 1 or more.
        head_dim: D, the number of features of a head; 2 or more.
        base: above one.

    Returns:
        cos, sin: float32 (length, D / 2). Row p, column i belongs to the angle p · base^(−2i / D),
        in radians. Each number is right to a thousandth for all positions up to 4,096.

    Raises:
        ValueError: if D is odd; the message names D.

    >>> cos, sin = rotation_table(2, 4)
    >>> sin
    tensor([[0.0000, 0.0000],
            [0.8415, 0.0100]])
    """
    if head_dim % 2:
        raise ValueError(f"{head_dim} features cannot be taken in pairs")
    exponents = torch.arange(0, head_dim, 2, dtype=torch.float64) / head_dim  # (D / 2,)
    angles = torch.arange(length)[:, None] * base**-exponents  # (length, D / 2)
    return angles.cos().float(), angles.sin().float()


def rotate_pairs(x: Tensor, cos: Tensor, sin: Tensor, offset: int = 0) -> Tensor:
    """Turn neighbours: pair i is feature 2i, here called a, and feature 2i + 1, called b.

    Feature 2i becomes a · cos − b · sin, and feature 2i + 1 becomes a · sin + b · cos. Numbers are
    right to 1e-5 of the largest of x.

    Args:
        x: (..., T, D), float32 or float64: queries or keys, with any number of dimensions before.
            It need not be contiguous.
        cos, sin: float32 (length, D / 2), as rotation_table gives them, but of any angles: row p
            is for position p, and column i for pair i. No argument is changed.
        offset: the position of the first of the T tokens, 0 or more; the others follow it.

    Returns:
        (..., T, D), in the dtype of x. Gradients flow back to x.

    Raises:
        ValueError: if offset + T is above length; the message names that sum, and length.

    >>> quarter = torch.tensor([[0.0]]), torch.tensor([[1.0]])  # one position, turned by 90°
    >>> rotate_pairs(torch.tensor([[1.0, 2.0]]), *quarter).tolist()
    [[-2.0, 1.0]]
    """
    cos, sin = _rows(x, cos, offset), _rows(x, sin, offset)  # (T, D / 2)
    a, b = x[..., 0::2], x[..., 1::2]  # (..., T, D / 2)
    turned = torch.stack((a * cos - b * sin, a * sin + b * cos), dim=-1)  # (..., T, D / 2, 2)
    return turned.flatten(-2)  # (..., T, D)


def rotate_halves(x: Tensor, cos: Tensor, sin: Tensor, offset: int = 0) -> Tensor:
    """Turn features that are half a head apart: pair i is feature i and feature i + D / 2.

    The formula is that of rotate_pairs, with feature i as a and feature i + D / 2 as b.

    Args:
        x: (..., T, D), float32 or float64.
        cos, sin: float32 (length, D / 2), of any angles.
        offset: the position of the first of the T tokens, 0 or more.

    Returns:
        (..., T, D), in the dtype of x. Gradients flow back to x.

    Raises:
        ValueError: if offset + T is above length; the message names that sum, and length.

    >>> quarters = torch.zeros(1, 2), torch.ones(1, 2)  # one position, both pairs turned by 90°
    >>> rotate_halves(torch.tensor([[1.0, 2.0, 3.0, 4.0]]), *quarters).tolist()
    [[-3.0, -4.0, 1.0, 2.0]]
    """
    cos, sin = _rows(x, cos, offset), _rows(x, sin, offset)  # (T, D / 2)
    a, b = x.chunk(2, dim=-1)  # (..., T, D / 2)
    return torch.cat((a * cos - b * sin, a * sin + b * cos), dim=-1)  # (..., T, D)


def pairs_to_halves(x: Tensor) -> Tensor:
    """Reorder features, so that the pairs of rotate_pairs become those of rotate_halves.

    Args:
        x: (..., D) of any dtype, with an even D. It is not changed, and need not be contiguous.

    Returns:
        (..., D): the features with even numbers in their order, then those with odd numbers.
        Gradients flow back to x. To turn and then reorder is the same as to reorder and then turn.

    >>> pairs_to_halves(torch.arange(6)).tolist()
    [0, 2, 4, 1, 3, 5]
    """
    return torch.cat((x[..., 0::2], x[..., 1::2]), dim=-1)  # (..., D)


def _rows(x: Tensor, table: Tensor, offset: int) -> Tensor:
    """The rows of the table that belong to these tokens, in their dtype."""
    end = offset + x.size(-2)
    if end > len(table):
        raise ValueError(f"{end} positions are above the {len(table)} of the table")
    return table[offset:end].to(x.dtype)  # (T, D / 2)
