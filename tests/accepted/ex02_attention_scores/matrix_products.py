"""No loop in sight: a matrix product for each function."""

import numpy as np

from .ex01_softmax import softmax


def score_query(query, keys):
    return keys @ query


def attention_scores(queries, keys):
    return queries @ keys.T


def attention_weights(scores):
    return softmax(scores)


def context_vectors(weights, values):
    return np.matmul(weights, values)
