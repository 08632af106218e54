import numpy as np


def shift(scores: np.ndarray, axis: int) -> np.ndarray:
    top = np.expand_dims(scores.max(axis), axis)
    return scores - top


def total(e: np.ndarray) -> np.ndarray:
    return e.sum()


def softmax(scores: np.ndarray, axis: int = -1) -> np.ndarray:
    e = np.exp(shift(scores, axis))
    return e / total(e)
