import numpy as np

from .ex01_softmax import softmax


def score_query(query: np.ndarray, keys: np.ndarray) -> np.ndarray:
    return keys @ query


def attention_scores(queries: np.ndarray, keys: np.ndarray) -> np.ndarray:
    return np.vstack([score_query(q, keys) for q in queries])


def attention_weights(scores: np.ndarray) -> np.ndarray:
    if scores.ndim == 1:
        return softmax(scores)
    return np.vstack([softmax(row) for row in scores])


def context_vectors(weights: np.ndarray, values: np.ndarray) -> np.ndarray:
    T, S = weights.shape
    ctx = np.zeros((T, values.shape[-1]))
    for t in range(T):
        for s in range(S):
            ctx[t] = weights[t, s] * values[s]
    return ctx
