"""Halves of the keys, and halves of those, merged like a tournament; parts are stacked.

The contract: "how many keys make a tile, 1 or more."
"""

import numpy as np


def attend_to_tile(query, key, value, mask=None):
    if mask is None:
        mask = np.ones((len(query), len(key)), dtype=bool)
    found = [
        row_of_parts(line, key[seen], value[seen]) for line, seen in zip(query, mask, strict=True)
    ]
    return tuple(np.stack(part) for part in zip(*found, strict=True))


def row_of_parts(line, keys, values):
    if not len(keys):
        return line.dtype.type(-np.inf), line.dtype.type(0), np.zeros(values.shape[1], line.dtype)
    scores = keys @ line / len(line) ** 0.5
    largest = scores.max()
    powers = np.exp(scores - largest)
    return largest, powers.sum(), powers @ values


def merge(first, second):
    tops = np.stack([first[0], second[0]])
    largest = tops.max(axis=0)
    with np.errstate(invalid="ignore"):
        scales = np.nan_to_num(np.exp(tops - largest), nan=0.0)
    totals, mixtures = np.stack([first[1], second[1]]), np.stack([first[2], second[2]])
    return largest, (scales * totals).sum(0), (scales[..., None] * mixtures).sum(0)


def tiled_attention(query, key, value, tile, mask=None):
    _, total, mixed = parts_of(query, key, value, tile, mask)
    with np.errstate(invalid="ignore"):
        return np.nan_to_num(mixed / total[:, None], nan=0.0)


def parts_of(query, key, value, tile, mask):
    if len(key) <= tile:
        return attend_to_tile(query, key, value, mask)
    middle = tile * (-(-len(key) // tile) // 2)
    front, back = (None, None) if mask is None else (mask[:, :middle], mask[:, middle:])
    left = parts_of(query, key[:middle], value[:middle], tile, front)
    return merge(left, parts_of(query, key[middle:], value[middle:], tile, back))
