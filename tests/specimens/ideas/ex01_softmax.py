"""Softmax as its definition says it."""

import numpy as np


def softmax(scores: np.ndarray, axis: int = -1) -> np.ndarray:
    """Turn scores into weights that sum to one along one axis."""
    powers = np.exp(scores)
    return powers / powers.sum(axis=axis, keepdims=True)
