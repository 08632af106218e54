"""Exercise 05: masks. In a mask, True means "this query may attend to this key".

No function changes its arguments, and none of them need be contiguous. Scores, weights, queries,
keys and values are finite.
"""

if __name__ == "__main__":
    raise SystemExit(f"This file is run by its tests: pytest {__file__}")

import math

import torch
from torch import Tensor


def causal_mask(size: int) -> Tensor:
    """Let each position attend to itself and to every earlier one.

    Args:
        size: the number of positions, each of them a query and a key.

    Returns:
        bool (size, size): row t, column s is True where query t may attend to key s.

    >>> causal_mask(3).int().tolist()
    [[1, 0, 0], [1, 1, 0], [1, 1, 1]]
    """
    raise NotImplementedError("ex05 causal_mask: not written yet")


def padding_mask(lengths: Tensor, size: int) -> Tensor:
    """Let every query of a sample attend to the real tokens of that sample, not to its padding.

    Args:
        lengths: (B,) of any integer dtype that can hold `size`: how many real tokens a sample
            begins with, 0 to size.
        size: the number of keys S that each sample is padded to.

    Returns:
        bool (B, 1, size): True for real tokens. The 1 broadcasts over all queries of the sample.

    Raises:
        ValueError: if a length is above `size`; the message names that length and the size.

    >>> padding_mask(torch.tensor([1, 3]), 3).int().tolist()
    [[[1, 0, 0]], [[1, 1, 1]]]
    """
    raise NotImplementedError("ex05 padding_mask: not written yet")


def mask_scores(scores: Tensor, mask: Tensor) -> Tensor:
    """Change scores so that after a softmax over the keys every hidden key has weight zero.

    Args:
        scores: (..., T, S), float16, float32 or float64, between −1,000 and 1,000.
        mask: bool, broadcasts to the scores; True = may attend.

    Returns:
        (..., T, S) in the dtype of the scores. Which value stands at a hidden key is free, as long
        as softmax makes exactly zero of it. A row in which every key is hidden is not judged.
        Gradients flow back to the scores.

    >>> mask_scores(torch.zeros(2, 2), causal_mask(2)).softmax(dim=-1).tolist()
    [[1.0, 0.0], [0.5, 0.5]]
    """
    raise NotImplementedError("ex05 mask_scores: not written yet")


def mask_weights(weights: Tensor, mask: Tensor) -> Tensor:
    """Take hidden keys out of weights that are there already: zero them, then renormalise.

    Args:
        weights: (..., T, S), float16, float32 or float64; each row sums to one, and every weight is
            above zero: for a key that may be attended to above 1e-4 in float16, else above 1e-20.
        mask: bool, broadcasts to the weights; True = may attend.

    Returns:
        (..., T, S) in the dtype of the weights: hidden keys have zero, the others of a row sum to
        one again. A row in which every key is hidden is all zeros. In float32 and float64 the
        gradients that flow back to the weights are finite, for such a row and for every row that
        keeps a thousandth of its weight.

    >>> mask_weights(torch.tensor([[0.5, 0.25, 0.25]]), torch.tensor([[True, True, False]]))
    tensor([[0.6667, 0.3333, 0.0000]])
    """
    raise NotImplementedError("ex05 mask_weights: not written yet")


def masked_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    """Scaled dot-product attention in which a query attends only to the keys that it may see.

    A hidden key has no influence at all, however high it scores. Scores may lie anywhere between
    −10,000 and 10,000.

    Args:
        query: (..., T, D), float32 or float64. There may be any number of leading dimensions, none
            included; they are the same for query, key and value.
        key: (..., S, D), where S may differ from T.
        value: (..., S, Dv).
        mask: bool, broadcasts to (..., T, S); True = may attend. None hides nothing.

    Returns:
        output: (..., T, Dv).
        weights: (..., T, S), zero at hidden keys; those of the others sum to one. Both have the
        dtype of the inputs. A query that may attend to no key has weights and output of zero. The
        gradients that flow back to query, key and value are finite, beside such a query too.

    >>> one = torch.ones(2, 1)
    >>> output, weights = masked_attention(one, one, torch.tensor([[4.0], [8.0]]), causal_mask(2))
    >>> weights.tolist(), output.tolist()
    ([[1.0, 0.0], [0.5, 0.5]], [[4.0], [6.0]])
    """
    raise NotImplementedError("ex05 masked_attention: not written yet")
