"""Exercise 01: softmax, in NumPy."""

import numpy as np


def softmax(scores: np.ndarray, axis: int = -1) -> np.ndarray:
    """Turn scores into weights: exp(score) divided by the sum of exp(score) along one axis.

    Args:
        scores: float array of any shape. Entries may be as large as ±10,000, differ by as much
            from row to row, or be -inf (weight 0), as long as each row has a finite entry.
        axis: the axis along which the weights sum to one; every row along it is on its own.

    Returns:
        A new array with the shape and the dtype of `scores`, no NaN in it; `scores` stays as it is.

    >>> softmax(np.array([[0.0, 0.0], [0.0, np.log(3.0)]])).round(4).tolist()
    [[0.5, 0.5], [0.25, 0.75]]
    """
    # subtract the largest score of each row, so that exp never overflows
    biggest = np.max(scores, axis=axis, keepdims=True)
    exps = np.exp(scores - biggest)
    return exps / np.sum(exps, axis=axis, keepdims=True)
