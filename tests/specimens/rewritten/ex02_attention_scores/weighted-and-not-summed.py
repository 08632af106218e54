import numpy as np

from .ex01_softmax import softmax


def score_query(query: np.ndarray, keys: np.ndarray) -> np.ndarray:
    return np.array([np.dot(query, key) for key in keys])


def attention_scores(queries: np.ndarray, keys: np.ndarray) -> np.ndarray:
    return np.array([[np.dot(query, key) for key in keys] for query in queries])


def attention_weights(scores: np.ndarray) -> np.ndarray:
    return softmax(scores, axis=-1)


def context_vectors(weights: np.ndarray, values: np.ndarray) -> np.ndarray:
    weighted = weights[:, :, None] * values[None, :, :]
    return weighted
