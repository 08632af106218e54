"""Each function stands on the one before: a mixture is a score against the columns.

The contract: "only results are judged."
"""

import numpy as np

from .ex01_softmax import softmax


def score_query(query, keys):
    scores = []
    for key in keys:
        scores.append(np.dot(query, key))
    return np.asarray(scores)


def attention_scores(queries, keys):
    return np.stack([score_query(query, keys) for query in queries])


def attention_weights(scores):
    if scores.ndim > 1:
        return np.vstack([attention_weights(row) for row in scores])
    return softmax(scores)


def context_vectors(weights, values):
    return attention_scores(weights, values.T)
