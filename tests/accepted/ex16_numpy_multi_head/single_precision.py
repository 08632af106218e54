"""All numbers in float32, whatever comes in and whatever comes out.

The contract: "the output alone; float32 or float64 is free."
"""

import numpy as np

from .ex01_softmax import softmax

F = np.float32


def split_heads(x, num_heads):
    samples, tokens, width = x.shape
    if width % num_heads:
        raise ValueError(f"cannot give {width} features to {num_heads} heads")
    return np.ascontiguousarray(x, dtype=F).reshape((samples, tokens, num_heads, -1)).swapaxes(1, 2)


def merge_heads(x):
    return np.asarray(np.concatenate(np.moveaxis(x, 1, 0), axis=-1), dtype=F)


def multi_head_attention(x, w_query, w_key, w_value, w_out, num_heads, mask=None):
    query, key, value, out = (w.astype(F) for w in (w_query, w_key, w_value, w_out))
    x = x.astype(F)
    scores = np.einsum(
        "bhti,bhsi->bhts", split_heads(x @ query, num_heads), split_heads(x @ key, num_heads)
    )
    scores = scores / F(np.sqrt(x.shape[2] // num_heads))
    if mask is not None:
        shape = mask.shape if mask.ndim != 3 else (mask.shape[0], 1, *mask.shape[1:])
        scores[~np.broadcast_to(mask.reshape(shape), scores.shape)] = -np.inf
    return merge_heads(softmax(scores) @ split_heads(x @ value, num_heads)) @ out
