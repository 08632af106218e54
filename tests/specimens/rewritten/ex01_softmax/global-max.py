import numpy as np


def softmax(scores: np.ndarray, axis: int = -1) -> np.ndarray:
    moved = np.moveaxis(scores, axis, -1)
    result = np.empty_like(moved)
    largest = scores.max()
    for where in np.ndindex(moved.shape[:-1]):
        line = moved[where]
        exps = np.exp(line - largest)
        result[where] = exps / exps.sum()
    return np.moveaxis(result, -1, axis)
