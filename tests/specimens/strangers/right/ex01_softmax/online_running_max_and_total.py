"""Exercise 01: softmax, in NumPy."""

import numpy as np


def softmax(scores: np.ndarray, axis: int = -1) -> np.ndarray:
    """Turn scores into weights: exp(score) divided by the sum of exp(score) along one axis.

    Args:
        scores: float32 or float64, one dimension or more. A line of scores along `axis` may lie
            around 10,000 and the one beside it around −10,000; an entry may be -inf and gets
            weight 0, as long as its line has a finite entry too.
        axis: the axis along which the weights sum to one; every line along it is on its own.

    Returns:
        A new array with the shape and the dtype of `scores`, without NaN; `scores` is not changed.

    >>> softmax(np.array([[0.0, 0.0], [0.0, np.log(3.0)]])).round(4).tolist()
    [[0.5, 0.5], [0.25, 0.75]]
    """
    slices = np.moveaxis(scores, axis, 0)
    top = np.full(slices.shape[1:], -np.inf, dtype=scores.dtype)
    total = np.zeros(slices.shape[1:], dtype=np.float64)
    for part in slices:
        higher = np.maximum(top, part)
        reference = np.where(np.isneginf(higher), 0, higher)
        total = total * np.exp(top - reference) + np.exp(part - reference)
        top = higher
    weights = np.exp(slices - top) / total
    return np.ascontiguousarray(np.moveaxis(weights, 0, axis)).astype(scores.dtype)
