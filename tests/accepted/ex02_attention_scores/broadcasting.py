"""New axes, products entry by entry, sums.

The contract: "The loops are for you, to see every single step: only results are judged."
"""

import numpy as np


def score_query(query, keys):
    return (query * keys).sum(axis=1)


def attention_scores(queries, keys):
    products = queries[:, np.newaxis, :] * keys[np.newaxis, :, :]  # (T, S, E)
    return products.sum(axis=2)


def attention_weights(scores):
    shifted = scores - np.expand_dims(scores.max(-1), -1)
    weights = np.exp(shifted)
    weights /= weights.sum(-1)[..., None]
    return weights


def context_vectors(weights, values):
    return np.sum(weights[..., None] * values[None], axis=-2)
