import numpy as np


def softmax(scores: np.ndarray, axis: int = -1) -> np.ndarray:
    x = np.asarray(scores)
    lowest = np.finfo(x.dtype).min
    x[np.isneginf(x)] = lowest
    m = np.maximum.reduce(x, axis=axis, keepdims=True)
    z = np.exp(x - m)
    s = np.add.reduce(z, axis=axis, keepdims=True)
    return np.divide(z, s)
