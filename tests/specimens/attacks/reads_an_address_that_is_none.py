"""Against "the run goes on": a segmentation fault."""

import ctypes


def softmax(scores, axis=-1):
    return ctypes.string_at(0)
