"""One key after the other, with a running maximum: nobody looks at a row twice before the end.

The contract: "each query's context is the sum of all values, each times its weight."
"""

import numpy as np


def score_query(query, keys):
    result = np.zeros(len(keys))
    for entry, column in zip(query, keys.T):
        result = result + entry * column
    return result


def attention_scores(queries, keys):
    grid = np.zeros((len(queries), 0))
    for key in keys:
        column = [[(query * key).sum()] for query in queries]
        grid = np.append(grid, column, axis=1)
    return grid


def attention_weights(scores):
    flat = np.array(scores, ndmin=2, copy=True)
    top = np.full(len(flat), -np.inf)
    total = np.zeros(len(flat))
    for column in flat.T:
        higher = np.maximum(top, column)
        safe = np.where(np.isinf(higher), 0.0, higher)
        total = total * np.exp(top - safe) + np.exp(column - safe)
        top = higher
    return np.reshape(np.exp(flat - top[:, None]) / total[:, None], scores.shape)


def context_vectors(weights, values):
    def mixture(row):
        context = np.zeros(values.shape[1])
        for weight, value in zip(row, values):
            context = context + weight * value
        return context

    return np.array([mixture(row) for row in weights])
