import numpy as np

from .ex01_softmax import softmax


def score_query(query, keys):
    scores = np.zeros(len(keys), dtype=query.dtype)
    for i, key in enumerate(keys):
        scores[i] = np.dot(query, key)
    return scores


def attention_scores(queries, keys):
    scores = np.zeros((len(queries), len(keys)), dtype=queries.dtype)
    for i, query in enumerate(queries):
        for j, key in enumerate(keys):
            scores[i, j] = np.dot(query, key)
        return scores


def attention_weights(scores):
    return softmax(scores, axis=-1)


def context_vectors(weights, values):
    contexts = np.zeros((len(weights), values.shape[1]), dtype=values.dtype)
    for i, row in enumerate(weights):
        for weight, value in zip(row, values):
            contexts[i] += weight * value
    return contexts
