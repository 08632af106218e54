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
    scores = np.asarray(scores)
    dtype = scores.dtype if np.issubdtype(scores.dtype, np.floating) else np.dtype(np.float64)
    # Half precision would overflow or stall in long sums: work in at least float64, cast at the end.
    wide = scores.astype(np.promote_types(dtype, np.float64))
    with np.errstate(under="ignore"):
        wide -= wide.max(axis=axis, keepdims=True)
        np.exp(wide, out=wide)
        wide /= wide.sum(axis=axis, keepdims=True)
        return wide.astype(dtype)
