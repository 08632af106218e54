import numpy as np


def softmax(scores, axis=-1):
    """Weights along one axis."""
    highest = np.max(scores, axis=axis, keepdims=True)
    powers = np.exp(scores - highest)
    weights = powers / np.sum(powers, axis=axis, keepdims=True)
    return np.clip(weights, 1e-7, 1.0)
