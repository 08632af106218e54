import numpy as np


def softmax(scores: np.ndarray, axis: int = -1) -> np.ndarray:
    last = scores.ndim - 1
    if axis in (-1, last):
        x = scores.copy()
    else:
        x = np.swapaxes(scores, axis, last)
    x -= np.amax(x, axis=last, keepdims=True)
    ex = np.exp(x)
    ex /= np.sum(ex, axis=last, keepdims=True)
    return np.swapaxes(ex, axis, last)
