import numpy as np


def softmax(scores, axis=-1):
    """exp(x - log(sum(exp(x))))"""
    z = scores - scores.max(axis=-1, keepdims=True)
    log_sum = np.logaddexp.reduce(z, axis=-1, keepdims=True)
    return np.exp(z - log_sum)
