"""Totals are merged by their logarithms, with np.logaddexp; a list comes back where a tuple may.

The contract: "Give the parts of two tiles together, as if they had been one."
"""

import numpy as np


def attend_to_tile(query, key, value, mask=None):
    scores = np.einsum("td,sd->ts", query, key) / query.dtype.type(query.shape[1]) ** 0.5
    hidden = np.zeros(scores.shape, bool) if mask is None else ~mask
    scores[hidden] = -np.inf
    largest = np.amax(scores, axis=-1)
    nothing = largest == -np.inf
    scores[nothing] = 0
    powers = np.exp(scores - np.where(nothing, 0, largest).reshape(-1, 1))
    powers[nothing] = 0
    return [largest, np.einsum("ts->t", powers), np.einsum("ts,sv->tv", powers, value)]


def merge(first, second):
    with np.errstate(all="ignore"):
        logs = [part[0] + np.log(part[1]) for part in (first, second)]
        largest = np.maximum(first[0], second[0])
        seen = largest > -np.inf
        total = np.where(seen, np.exp(np.logaddexp(*logs) - largest), 0)
        scales = [np.where(seen, np.exp(part[0] - largest), 0) for part in (first, second)]
    mixed = np.einsum("t,tv->tv", scales[0], first[2]) + np.einsum("t,tv->tv", scales[1], second[2])
    return [largest, total, mixed]


def tiled_attention(query, key, value, tile, mask=None):
    starts = range(0, len(key), tile)
    tiles = [(key[at : at + tile], value[at : at + tile]) for at in starts]
    masks = [None if mask is None else mask[:, at : at + tile] for at in starts]
    parts, *others = (
        attend_to_tile(query, *tile, seen) for tile, seen in zip(tiles, masks, strict=True)
    )
    for other in others:
        parts = merge(parts, other)
    total = np.array(parts[1])
    total[total == 0] = 1
    return (parts[2] / total[:, None]).astype(query.dtype)
