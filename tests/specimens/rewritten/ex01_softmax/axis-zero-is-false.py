import numpy as np


def _along(reduce, array, axis):
    return np.expand_dims(reduce(array, axis=axis), axis)


def softmax(scores, axis=-1):
    dim = axis or -1
    shifted = np.subtract(scores, _along(np.max, scores, dim))
    exps = np.exp(shifted)
    return np.divide(exps, _along(np.sum, exps, dim))
