"""Works on the transposed array and returns a non-contiguous view.

The contract: "A new array with the shape and the dtype of `scores`"
"""

import numpy as np


def softmax(scores, axis=-1):
    x = np.swapaxes(scores, axis, 0)
    x = np.exp(x - x.max(0))
    return np.swapaxes(x / x.sum(0), 0, axis)
