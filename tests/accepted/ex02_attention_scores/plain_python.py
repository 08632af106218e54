"""Python's own numbers and comprehensions; NumPy only wraps what comes out.

The contract: "A result may be either, and is a new array that no later call changes."
"""

from math import exp, fsum

import numpy as np


def dot(a, b):
    return fsum(x * y for x, y in zip(a.tolist(), b.tolist()))


def score_query(query, keys):
    return np.array([dot(query, key) for key in keys])


def attention_scores(queries, keys):
    return np.array([[dot(query, key) for key in keys] for query in queries])


def one_query(scores):
    top = max(scores)
    powers = [exp(score - top) for score in scores]
    total = fsum(powers)
    return [power / total for power in powers]


def attention_weights(scores):
    if scores.ndim == 1:
        return np.array(one_query(scores.tolist()))
    return np.array([one_query(row) for row in scores.tolist()])


def context_vectors(weights, values):
    columns = values.T
    return np.array([[dot(row, column) for column in columns] for row in weights])
