"""Exercise 02."""

import numpy as np

from .ex01_softmax import softmax


def score_query(query, keys):
    num_keys, width = keys.shape
    out = np.empty(num_keys, dtype=keys.dtype)
    for j, k in enumerate(keys):
        acc = query[0] * k[0]
        for i in range(1, width):
            acc += query[i] * k[i]
        out[j] = acc
    return out


def attention_scores(queries, keys):
    rows = []
    for q in queries:
        rows.append(score_query(q, keys))
    return np.stack(rows)


def attention_weights(scores):
    return softmax(scores)


def context_vectors(weights, values):
    contexts = []
    for row in weights:
        acc = values[0]
        acc *= row[0]
        for w, value in zip(row[1:], values[1:]):
            acc += w * value
        contexts.append(acc.copy())
    return np.stack(contexts)
