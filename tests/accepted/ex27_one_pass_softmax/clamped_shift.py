"""The shift is never below −10³⁰, so that −inf minus it is −inf and no case is needed.

The contract: "Scores may lie anywhere between −100,000 and 100,000, those of hidden keys too."
"""

import numpy as np

LOWEST = -1e30


def attend_to_tile(query, key, value, mask=None):
    scale = query.shape[1] ** -0.5
    scores = (query * scale) @ key.T
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    top = np.max(scores, axis=1, keepdims=True)
    powers = np.exp(scores - np.maximum(top, LOWEST))
    return top[:, 0], powers.sum(1), powers @ value


def merge(first, second):
    m1, l1, o1 = first
    m2, l2, o2 = second
    m = np.where(m1 > m2, m1, m2)
    shift = np.maximum(m, LOWEST)
    a, b = np.exp(m1 - shift), np.exp(m2 - shift)
    return m, a * l1 + b * l2, (a * o1.T + b * o2.T).T


def tiled_attention(query, key, value, tile, mask=None):
    if mask is None:
        mask = np.ones((len(query), len(key)), dtype=bool)
    m, l, o = attend_to_tile(query, key[:tile], value[:tile], mask[:, :tile])
    for i in range(tile, len(key), tile):
        j = min(i + tile, len(key))
        m, l, o = merge((m, l, o), attend_to_tile(query, key[i:j], value[i:j], mask[:, i:j]))
    l = l.reshape(-1, 1)
    return np.divide(o, l, out=np.zeros_like(o), where=l > 0)
