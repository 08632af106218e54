"""Exercise 01, everything in loops."""

import numpy as np


def softmax(scores: np.ndarray, axis: int = -1) -> np.ndarray:
    result = np.empty_like(scores)
    source = np.moveaxis(scores, axis, -1)
    target = np.moveaxis(result, axis, -1)
    for index in np.ndindex(source.shape[:-1]):
        line = source[index]

        largest = -10000.0
        for score in line:
            if score > largest:
                largest = score

        total = 0.0
        for score in line:
            total += np.exp(score - largest)

        for i, score in enumerate(line):
            target[index + (i,)] = np.exp(score - largest) / total
    return result
