import numpy as np


def softmax(scores: np.ndarray, axis: int = -1) -> np.ndarray:
    if axis == -1 or axis == scores.ndim - 1:
        top = scores.max(axis=-1, keepdims=True)
    else:
        top = scores.max()
    powers = np.exp(scores - top)
    return powers / powers.sum(axis=axis, keepdims=True)
