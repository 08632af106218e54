"""The mask goes to np.max and np.sum as `where`, and hidden scores are never replaced.

The contract: "A hidden key has no influence at all, however large its score or its value is."
"""

import numpy as np


def attend_to_tile(query, key, value, mask=None):
    keep = np.broadcast_to(True if mask is None else mask, (query.shape[0], key.shape[0]))
    scores = np.inner(query, key) / np.sqrt(query.shape[1]).astype(query.dtype)
    largest = scores.max(axis=1, initial=-np.inf, where=keep)
    gaps = np.subtract(scores, largest[:, None], out=np.full_like(scores, -np.inf), where=keep)
    powers = np.exp(gaps)
    return largest, powers.sum(axis=1, where=keep), np.dot(powers, value)


def merge(first, second):
    largest = np.fmax(first[0], second[0])
    seen = np.isfinite(largest)

    def scale(part):
        gap = np.full_like(part[0], -np.inf)
        np.subtract(part[0], largest, out=gap, where=seen)
        return np.exp(gap)[:, np.newaxis]

    a, b = scale(first), scale(second)
    return largest, a[:, 0] * first[1] + b[:, 0] * second[1], a * first[2] + b * second[2]


def tiled_attention(query, key, value, tile, mask=None):
    cuts = np.arange(tile, len(key), tile)
    keys, values = np.split(key, cuts), np.split(value, cuts)
    masks = [None] * len(keys) if mask is None else np.split(mask, cuts, axis=1)
    parts = None
    for k, v, m in zip(keys, values, masks, strict=True):
        new = attend_to_tile(query, k, v, m)
        parts = new if parts is None else merge(new, parts)
    return parts[2] / np.maximum(parts[1], 1)[:, None]  # who saw a key has a total of 1 or more
