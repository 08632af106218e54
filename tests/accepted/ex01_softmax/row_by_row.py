"""Loops over rows, after moving the axis to the end.

The contract: "every line along it is on its own."
"""

import numpy as np


def one_row(row):
    powers = np.exp(row - np.max(row))
    return powers / np.sum(powers)


def softmax(scores, axis=-1):
    moved = np.moveaxis(scores, axis, -1)
    rows = moved.reshape(-1, moved.shape[-1])
    weights = np.stack([one_row(row) for row in rows]).reshape(moved.shape)
    return np.moveaxis(weights, -1, axis)
