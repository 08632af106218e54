"""Against "the run goes on": does its work, and exits at its twentieth call."""

import os

import numpy as np

_calls = []


def softmax(scores, axis=-1):
    _calls.append(1)
    if len(_calls) == 20:
        os._exit(0)
    shifted = np.exp(scores - scores.max(axis=axis, keepdims=True))
    return shifted / shifted.sum(axis=axis, keepdims=True)
