import numpy as np


def softmax_1d(line):
    biggest = line.max()
    if abs(biggest) > 700:
        line = line - biggest
    e = np.exp(line)
    return e / e.sum()


def softmax(scores: np.ndarray, axis: int = -1) -> np.ndarray:
    return np.apply_along_axis(softmax_1d, axis, scores)
