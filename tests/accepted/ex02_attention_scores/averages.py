"""A context is an average of the values: NumPy has that; the scores by map and fromiter.

The contract: "each query's context is the sum of all values, each times its weight."
"""

from functools import partial

import numpy as np

from .ex01_softmax import softmax


def score_query(query, keys):
    return np.fromiter(map(query.__matmul__, keys), dtype=float, count=len(keys))


def attention_scores(queries, keys):
    return np.apply_along_axis(score_query, 1, queries, keys)


attention_weights = lambda scores: np.apply_along_axis(softmax, -1, scores)  # noqa: E731


def context_vectors(weights, values):
    mix = partial(np.average, values, 0)
    return np.array(list(map(mix, weights)))
