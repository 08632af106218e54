"""NumPy's masked arrays know which keys are hidden; what stays masked is filled in at the end.

The contract: "A query that may attend to no key of this tile has minus infinity, 0 and a row of
zeros."
"""

import numpy as np


def attend_to_tile(query, key, value, mask=None):
    hidden = np.zeros((len(query), len(key)), bool) if mask is None else np.logical_not(mask)
    scores = np.ma.array(query.dot(key.T) / np.float32(np.sqrt(key.shape[1])), mask=hidden)
    if query.dtype == np.float64:
        scores = np.ma.array(query.dot(key.T) / np.sqrt(key.shape[1]), mask=hidden)
    largest = scores.max(axis=1)
    powers = np.ma.exp(scores - largest[:, np.newaxis]).filled(0)
    return np.ma.filled(largest, -np.inf), powers.sum(axis=1), powers.dot(value)


def merge(first, second):
    tops = np.ma.masked_equal(np.array([first[0], second[0]]), -np.inf)
    largest = tops.max(axis=0)
    one, other = np.ma.exp(tops - largest).filled(0)
    total = one * first[1] + other * second[1]
    mixed = one[:, np.newaxis] * first[2] + other[:, np.newaxis] * second[2]
    return np.ma.filled(largest, -np.inf), total, mixed


def tiled_attention(query, key, value, tile, mask=None):
    parts = None
    for begin in range(0, key.shape[0], tile):
        end = begin + tile
        keep = mask[:, begin:end] if mask is not None else None
        part = attend_to_tile(query, key[begin:end], value[begin:end], keep)
        parts = merge(parts, part) if parts else part
    total = np.ma.masked_equal(parts[1], 0)[:, np.newaxis]
    return (parts[2] / total).filled(0).astype(query.dtype)
