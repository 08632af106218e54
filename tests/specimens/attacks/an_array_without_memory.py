"""Against "memory is bounded": returns a million times a million numbers, which lie in eight bytes."""

import numpy as np


def softmax(scores, axis=-1):
    return np.broadcast_to(0.5, (10**6, 10**6))
