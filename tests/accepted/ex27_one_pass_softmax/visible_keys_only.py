"""Each query attends to an array of its visible keys alone; one without any keeps what it had.

The contract: "largest, total, mixed: of the scores query · key / √D that the mask does not hide."
"""

import numpy as np


class Row:
    """The parts of one query, in Python floats and one array."""

    def __init__(self, largest, total, mixed):
        self.largest, self.total, self.mixed = float(largest), float(total), mixed

    def __add__(self, other):
        if self.total == 0 or other.total == 0:
            return other if self.total == 0 else self
        low, high = sorted((self, other), key=lambda row: row.largest)
        scale = float(np.exp(low.largest - high.largest))
        total, mixed = high.total + scale * low.total, high.mixed + scale * low.mixed
        return Row(high.largest, total, mixed)


def row_of(line, keys, values):
    if len(keys) == 0:
        return Row(-np.inf, 0, np.zeros(values.shape[1]))
    scores = (keys * line).sum(axis=1) * len(line) ** -0.5
    powers = np.exp(scores - max(scores))
    return Row(max(scores), sum(powers), (powers[:, None] * values).sum(axis=0))


def together(rows):
    names = ("largest", "total", "mixed")
    return tuple(np.array([getattr(row, name) for row in rows]) for name in names)


def attend_to_tile(query, key, value, mask=None):
    seen = [slice(None) if mask is None else np.flatnonzero(mask[t]) for t in range(len(query))]
    return together(
        [row_of(line, key[at], value[at]) for line, at in zip(query, seen, strict=True)]
    )


def merge(first, second):
    pairs = zip(zip(*first, strict=True), zip(*second, strict=True), strict=True)
    return together([Row(*one) + Row(*other) for one, other in pairs])


def tiled_attention(query, key, value, tile, mask=None):
    shown = np.ones((len(query), len(key)), dtype=bool) if mask is None else mask
    parts = (
        np.full(len(query), -np.inf),
        np.zeros(len(query)),
        np.zeros((len(query), value.shape[1])),
    )
    for first in range(0, len(key), tile):
        last = first + tile
        here = attend_to_tile(query, key[first:last], value[first:last], shown[:, first:last])
        parts = merge(parts, here)
    weights = np.where(parts[1] == 0, 0, 1 / np.maximum(parts[1], 1))
    return (parts[2] * weights[:, None]).astype(query.dtype)
