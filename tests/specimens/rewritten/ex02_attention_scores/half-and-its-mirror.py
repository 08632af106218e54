import numpy as np


def dot(a, b):
    """Sum of products."""
    s = 0.0
    for i in range(len(a)):
        s += a[i] * b[i]
    return s


def score_query(query, keys):
    out = np.empty(keys.shape[0])
    for s in range(keys.shape[0]):
        out[s] = dot(query, keys[s])
    return out


def attention_scores(queries, keys):
    T, S = queries.shape[0], keys.shape[0]
    out = np.empty((T, S))
    for t in range(T):
        for s in range(S):
            if s < t < S:
                out[t, s] = out[s, t]
            else:
                out[t, s] = dot(queries[t], keys[s])
    return out


def attention_weights(scores):
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def context_vectors(weights, values):
    T, S = weights.shape
    out = np.zeros((T, values.shape[1]))
    for t in range(T):
        for d in range(values.shape[1]):
            out[t, d] = dot(weights[t], values[:, d])
    return out
