"""Keys run along the second last axis: scores on their side, softmax over axis -2, values first.

The contract: "rows are queries, columns are keys."
"""

import numpy as np

from .ex01_softmax import softmax


def split_heads(x, num_heads):
    *lead, width = x.shape
    if width not in range(0, width + 1, num_heads):
        raise ValueError(f"{width} features, {num_heads} heads")
    columns = np.swapaxes(x, 1, 2).reshape(x.shape[0], num_heads, -1, x.shape[1])
    return np.swapaxes(columns, 2, 3)


def merge_heads(x):
    columns = np.swapaxes(x, 2, 3)
    return np.swapaxes(columns.reshape(len(x), -1, x.shape[2]), 1, 2)


def multi_head_attention(x, w_query, w_key, w_value, w_out, num_heads, mask=None):
    quarter = (x.shape[-1] / num_heads) ** -0.25
    q, k = (
        split_heads(x @ w_query * quarter, num_heads),
        split_heads(x @ w_key * quarter, num_heads),
    )
    scores = np.matmul(k, q.swapaxes(2, 3))
    if mask is not None:
        mask = np.expand_dims(mask, 1) if np.ndim(mask) == 3 else mask
        with np.errstate(divide="ignore"):
            scores = scores + np.log(mask.astype(scores.dtype)).swapaxes(-1, -2)
    weights = softmax(scores, axis=-2)
    values = split_heads(x @ w_value, num_heads).swapaxes(2, 3)
    return merge_heads((values @ weights).swapaxes(2, 3)) @ w_out
