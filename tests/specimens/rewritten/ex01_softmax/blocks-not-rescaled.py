"""Softmax with a running maximum and a running sum, one block at a time."""

import numpy as np

BLOCK = 16


def softmax(scores: np.ndarray, axis: int = -1) -> np.ndarray:
    lines = np.moveaxis(scores, axis, 0)
    lowest = np.finfo(scores.dtype).min
    running_max = np.full(lines.shape[1:], lowest, dtype=scores.dtype)
    running_sum = np.zeros(lines.shape[1:], dtype=scores.dtype)
    for start in range(0, len(lines), BLOCK):
        block = lines[start : start + BLOCK]
        new_max = np.maximum(running_max, block.max(axis=0))
        running_sum = running_sum + np.exp(block - new_max).sum(axis=0)
        running_max = new_max
    weights = np.exp(lines - running_max) / running_sum
    return np.moveaxis(weights, 0, axis)
