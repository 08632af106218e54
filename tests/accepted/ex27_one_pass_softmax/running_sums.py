"""Running sums that start with nothing, in double precision and written in place.

The contract: "(T, Dv), in the dtype of the inputs."
"""

import numpy as np


def nothing(queries, features):
    return np.full(queries, -np.inf), np.zeros(queries), np.zeros((queries, features))


def attend_to_tile(query, key, value, mask=None):
    query, key, value = (np.asarray(each, dtype=np.float64) for each in (query, key, value))
    scores = query @ np.transpose(key)
    scores /= np.sqrt(query.shape[-1])
    if mask is not None:
        np.putmask(scores, np.logical_not(mask), -np.inf)
    largest, total, mixed = nothing(len(query), value.shape[-1])
    rows = np.isfinite(scores).any(axis=-1)
    largest[rows] = scores[rows].max(axis=-1)
    powers = np.exp(scores[rows] - largest[rows, None])
    total[rows] = powers.sum(axis=-1)
    mixed[rows] = powers @ value
    return largest, total, mixed


def merge(first, second):
    largest, total, mixed = nothing(*first[2].shape)
    np.maximum(first[0], second[0], out=largest)
    for each in (first, second):
        rows = ~np.isneginf(each[0])
        scale = np.exp(each[0][rows] - largest[rows])
        total[rows] += scale * each[1][rows]
        mixed[rows] += scale[:, None] * each[2][rows]
    return largest, total, mixed


def tiled_attention(query, key, value, tile, mask=None):
    state = nothing(len(query), value.shape[1])
    for start in range(0, len(key), tile):
        piece = np.s_[start : start + tile]
        keep = None if mask is None else mask[:, piece]
        state = merge(state, attend_to_tile(query, key[piece], value[piece], keep))
    _, total, mixed = state
    output = np.zeros_like(mixed)
    rows = total > 0
    output[rows] = mixed[rows] / total[rows, None]
    return output.astype(query.dtype)
