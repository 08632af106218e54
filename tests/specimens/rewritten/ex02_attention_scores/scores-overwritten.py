import numpy as np


def score_query(query: np.ndarray, keys: np.ndarray) -> np.ndarray:
    return np.einsum("e,se->s", query, keys)


def attention_scores(queries: np.ndarray, keys: np.ndarray) -> np.ndarray:
    return np.einsum("te,se->ts", queries, keys)


def attention_weights(scores: np.ndarray) -> np.ndarray:
    w = scores
    w -= w.max(axis=-1, keepdims=True)
    np.exp(w, out=w)
    w /= w.sum(axis=-1, keepdims=True)
    return w


def context_vectors(weights: np.ndarray, values: np.ndarray) -> np.ndarray:
    return np.einsum("ts,sv->tv", weights, values)
