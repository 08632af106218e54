"""NumPy does the looping.

The contract: "every line along it is on its own."
"""

import numpy as np


def softmax(scores: np.ndarray, axis: int = -1) -> np.ndarray:
    def weigh(row):
        e = np.exp(row - row.max())
        return e / e.sum()

    return np.apply_along_axis(weigh, axis, scores).astype(scores.dtype)
