"""In the logarithm: exp(score − log of the sum)."""

import numpy as np


def softmax(scores, axis=-1):
    largest = np.max(scores, axis=axis, keepdims=True)
    log_sum = largest + np.log(np.sum(np.exp(scores - largest), axis=axis, keepdims=True))
    return np.exp(scores - log_sum)
