"""In the logarithm: exp(score − log of the sum).

The contract: "Turn scores into weights: exp(score) divided by the sum of exp(score) along one
axis."
"""

import numpy as np


def softmax(scores, axis=-1):
    largest = np.max(scores, axis=axis, keepdims=True)
    log_sum = largest + np.log(np.sum(np.exp(scores - largest), axis=axis, keepdims=True))
    return np.exp(scores - log_sum)
