"""Attention without trained weights, as a textbook shows it: a loop for each step."""

import numpy as np

from .ex01_softmax import softmax


def score_query(query: np.ndarray, keys: np.ndarray) -> np.ndarray:
    """The dot product with each key."""
    scores = np.zeros(len(keys))
    for s, key in enumerate(keys):
        scores[s] = np.dot(query, key)
    return scores


def attention_scores(queries: np.ndarray, keys: np.ndarray) -> np.ndarray:
    """The dot product of each query with each key."""
    scores = np.zeros((len(queries), len(keys)))
    for t, query in enumerate(queries):
        for s, key in enumerate(keys):
            scores[t, s] = np.dot(query, key)
    return scores


def attention_weights(scores: np.ndarray) -> np.ndarray:
    """A softmax for each query."""
    return softmax(scores, axis=1)


def context_vectors(weights: np.ndarray, values: np.ndarray) -> np.ndarray:
    """A weighted sum of the values for each query."""
    contexts = np.zeros((len(weights), values.shape[1]))
    for t, row in enumerate(weights):
        for s, weight in enumerate(row):
            contexts[t] += weight * values[s]
    return contexts
