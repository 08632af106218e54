"""Against "nobody waits longer than the limit": does its work, and hangs from its twentieth call on."""

import numpy as np

_calls = []


def softmax(scores, axis=-1):
    _calls.append(1)
    while len(_calls) >= 20:
        pass
    shifted = np.exp(scores - scores.max(axis=axis, keepdims=True))
    return shifted / shifted.sum(axis=axis, keepdims=True)
