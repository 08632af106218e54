"""No loop in sight: a matrix product for each function.

The contract: "The loops are for you, to see every single step: only results are judged."
"""

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
