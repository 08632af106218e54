"""Works on the transposed problem; what comes back is a view that is not contiguous.

The contract: "A result may be either, and is a new array that no later call changes."
"""

import numpy as np


def score_query(query, keys):
    return (query[None, :] @ keys.T)[0]


def attention_scores(queries, keys):
    by_key = np.empty((len(keys), len(queries)), order="F")
    for s, key in enumerate(keys):
        for t, query in enumerate(queries):
            by_key[s, t] = key.dot(query)
    return by_key.T


def attention_weights(scores):
    columns = scores.T
    powers = np.exp(columns - columns.max(axis=0))
    return (powers / powers.sum(axis=0)).T


def context_vectors(weights, values):
    return (values.T @ weights.T).T
