"""Checks everything that the contract promises before it starts.

The contract: "The arrays of a call are all float32 or all float64, and none of them is changed."
"""

import numpy as np

from .ex01_softmax import softmax


def _check(condition, text):
    if not condition:
        raise ValueError(text)


def score_query(query, keys):
    _check(query.ndim == 1 and keys.ndim == 2, "expected (E,) and (S, E)")
    _check(query.size == keys.shape[1], "widths differ")
    scores = np.full(keys.shape[0], np.nan)
    for s in range(scores.size):
        scores[s] = np.vdot(query, keys[s])
    assert not np.isnan(scores).any()
    return scores


def attention_scores(queries, keys):
    _check(queries.ndim == keys.ndim == 2, "expected (T, E) and (S, E)")
    _check(queries.shape[1] == keys.shape[1], "widths differ")
    scores = np.full((queries.shape[0], keys.shape[0]), np.nan)
    for t, s in np.ndindex(*scores.shape):
        scores[t, s] = np.vdot(queries[t], keys[s])
    return scores


def attention_weights(scores):
    _check(scores.ndim in {1, 2}, "expected (S,) or (T, S)")
    _check(np.issubdtype(scores.dtype, np.floating), "expected floats")
    _check(np.isfinite(scores).any(axis=-1).all(), "a query may see no key")
    weights = softmax(scores.astype(np.float64), axis=-1)
    assert weights.shape == scores.shape
    return weights


def context_vectors(weights, values):
    _check(weights.ndim == values.ndim == 2, "expected (T, S) and (S, Dv)")
    _check(weights.shape[1] == values.shape[0], "one value for each key")
    _check((weights >= 0).all(), "no weight is negative")
    _check(np.allclose(weights.sum(axis=1), 1), "the weights of a query sum to one")
    return weights.dot(values)
