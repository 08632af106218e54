import numpy as np


def _softmax_last(rows):
    biggest = rows.max(axis=-1, keepdims=True)
    out = np.exp(np.subtract(rows, biggest))
    out /= out.sum(axis=-1, keepdims=True)
    return out


def softmax(scores, axis=-1):
    axis = axis % scores.ndim
    order = [i for i in range(scores.ndim) if i != axis] + [axis]
    weights = _softmax_last(scores.transpose(order))
    return weights.transpose(order)
