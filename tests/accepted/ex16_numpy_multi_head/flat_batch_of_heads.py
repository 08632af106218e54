"""Heads folded into the batch, the mask repeated to fit; one fused projection.

The contract: "one for each sample, the same for all of its heads"
"""

import numpy as np

from .ex01_softmax import softmax


def split_heads(x, num_heads):
    B, S, E = x.shape
    if E % num_heads > 0:
        raise ValueError(f"{num_heads} heads do not fit into {E}")
    return np.array(np.split(x, num_heads, axis=-1)).transpose(1, 0, 2, 3)


def merge_heads(x):
    return np.moveaxis(x, 1, -2).reshape(x.shape[0], x.shape[2], -1)


def multi_head_attention(x, w_query, w_key, w_value, w_out, num_heads, mask=None):
    B, S, E = x.shape
    fused = x.reshape(B * S, E) @ np.hstack([w_query, w_key, w_value])
    fused = fused.reshape(B, S, 3, num_heads, E // num_heads)
    q, k, v = np.ascontiguousarray(fused.transpose(2, 0, 3, 1, 4)).reshape(
        3, B * num_heads, S, E // num_heads
    )
    scores = (q / np.sqrt(q.shape[-1])) @ k.transpose(0, 2, 1)
    if mask is not None:
        keep = mask[:, None] if mask.ndim == 3 else mask
        keep = np.broadcast_to(keep, (B, num_heads, S, S)).reshape(-1, S, S)
        scores = np.where(keep, scores, np.finfo(scores.dtype).min)
    context = (softmax(scores) @ v).reshape(B, num_heads, S, -1)
    return merge_heads(context) @ w_out
