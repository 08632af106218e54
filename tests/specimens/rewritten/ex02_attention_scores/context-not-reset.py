import numpy as np

from .ex01_softmax import softmax


def score_query(query: np.ndarray, keys: np.ndarray) -> np.ndarray:
    return np.array([sum(q * k for q, k in zip(query, key)) for key in keys])


def attention_scores(queries: np.ndarray, keys: np.ndarray) -> np.ndarray:
    rows = []
    for query in queries:
        rows.append(score_query(query, keys))
    return np.stack(rows)


def attention_weights(scores: np.ndarray) -> np.ndarray:
    return softmax(scores)


def context_vectors(weights: np.ndarray, values: np.ndarray) -> np.ndarray:
    n_queries, n_keys = weights.shape
    result = np.empty((n_queries, values.shape[1]))
    context = np.zeros(values.shape[1])
    for t in range(n_queries):
        for s in range(n_keys):
            context = context + weights[t, s] * values[s]
        result[t] = context
    return result
