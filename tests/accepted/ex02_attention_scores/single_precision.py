"""Accumulates in a narrower or wider type than it was given; the dtype is nobody's claim.

The contract: "A result may be either, and is a new array that no later call changes."
"""

import numpy as np


def score_query(query, keys):
    return np.array([np.sum(query * k, dtype=np.longdouble) for k in keys]).astype(np.float32)


def attention_scores(queries, keys):
    scores = np.ones((len(queries), len(keys)), dtype=np.float32)
    it = np.nditer(scores, flags=["multi_index"], op_flags=["writeonly"])
    for place in it:
        t, s = it.multi_index
        place[...] = queries[t] @ keys[s]
    return scores


def attention_weights(scores):
    x = np.atleast_2d(scores).astype(np.longdouble)
    x = np.exp(x - x.max(1, keepdims=True))
    x = np.divide(x, x.sum(1, keepdims=True)).astype(np.float32)
    return x if scores.ndim == 2 else x[0]


def context_vectors(weights, values):
    return sum(w[:, None] * v for w, v in zip(weights.T, values)).astype("f4")
