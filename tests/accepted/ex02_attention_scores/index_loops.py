"""Every index by hand, down to the single product.

The contract: "The loops are for you, to see every single step"
"""

import numpy as np


def score_query(query, keys):
    S = keys.shape[0]
    E = keys.shape[1]
    out = np.zeros(S)
    for s in range(S):
        for e in range(E):
            out[s] += query[e] * keys[s, e]
    return out


def attention_scores(queries, keys):
    T, E = queries.shape
    S, _ = keys.shape
    out = np.zeros((T, S))
    for t in range(T):
        for s in range(S):
            total = 0.0
            for e in range(E):
                total = total + queries[t][e] * keys[s][e]
            out[t][s] = total
    return out


def attention_weights(scores):
    if len(scores.shape) == 2:
        result = np.zeros(scores.shape)
        for t in range(scores.shape[0]):
            result[t] = attention_weights(scores[t])
        return result
    biggest = scores[0]
    for score in scores:
        if score > biggest:
            biggest = score
    result = np.zeros(len(scores))
    total = 0.0
    for s in range(len(scores)):
        result[s] = np.exp(scores[s] - biggest)
        total += result[s]
    for s in range(len(scores)):
        result[s] /= total
    return result


def context_vectors(weights, values):
    T, S = weights.shape
    width = values.shape[1]
    out = np.zeros((T, width))
    t = 0
    while t < T:
        for s in range(S):
            for d in range(width):
                out[t, d] += weights[t, s] * values[s, d]
        t += 1
    return out
