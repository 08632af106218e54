"""Against "the run goes on": returns more dimensions than a frame may have."""

import numpy as np


def softmax(scores, axis=-1):
    return np.zeros((1,) * 64)
