"""Loops over queries and keys, with a running maximum in Python floats and parts in float64.

The contract: "For float32 the parts may be float32 or float64."
"""

import math

import numpy as np


def attend_to_tile(query, key, value, mask=None):
    T, D = query.shape
    top, sums, mixed = np.full(T, -np.inf), np.zeros(T), np.zeros((T, value.shape[1]))
    for t in range(T):
        for s in range(len(key)):
            if mask is not None and not mask[t, s]:
                continue
            score = float(np.dot(query[t], key[s])) / math.sqrt(D)
            if score > top[t]:
                shrink = math.exp(top[t] - score)
                sums[t] *= shrink
                mixed[t] *= shrink
                top[t] = score
            power = math.exp(score - top[t])
            sums[t] += power
            mixed[t] += power * value[s]
    return top, sums, mixed


def merge(first, second):
    top, sums, mixed = (np.array(part, dtype=np.float64) for part in first)
    for t, (other, total, row) in enumerate(zip(*second, strict=True)):
        if other == -np.inf:
            continue
        new = max(top[t], other)
        old_scale, new_scale = math.exp(top[t] - new), math.exp(other - new)
        sums[t] = old_scale * sums[t] + new_scale * total
        mixed[t] = old_scale * mixed[t] + new_scale * row
        top[t] = new
    return top, sums, mixed


def tiled_attention(query, key, value, tile, mask=None):
    parts = attend_to_tile(
        query, key[:tile], value[:tile], None if mask is None else mask[:, :tile]
    )
    at = tile
    while at < len(key):
        end = at + tile
        more = attend_to_tile(
            query, key[at:end], value[at:end], None if mask is None else mask[:, at:end]
        )
        parts = merge(parts, more)
        at = end
    output = np.zeros(parts[2].shape)
    for t, total in enumerate(parts[1]):
        if total > 0:
            output[t] = parts[2][t] / total
    return output.astype(query.dtype)
