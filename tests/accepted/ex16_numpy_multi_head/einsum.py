"""Every product an einsum, heads as an axis of the weights.

The contract: "project, split, attend, merge, project."
"""

import numpy as np

from .ex01_softmax import softmax


def split_heads(x, num_heads):
    if x.shape[-1] % num_heads != 0:
        raise ValueError("cannot split %d features into %d heads" % (x.shape[-1], num_heads))
    return np.einsum("bshd->bhsd", x.reshape(*x.shape[:2], num_heads, -1))


def merge_heads(x):
    b, h, s, d = x.shape
    return np.einsum("bhsd->bshd", x).reshape(b, s, h * d)


def multi_head_attention(x, w_query, w_key, w_value, w_out, num_heads, mask=None):
    E = x.shape[-1]
    D = E // num_heads
    q, k, v = (
        np.einsum("bse,ehd->bhsd", x, w.reshape(E, num_heads, D)) for w in (w_query, w_key, w_value)
    )
    scores = np.einsum("bhtd,bhsd->bhts", q, k) / np.sqrt(D)
    if mask is not None:
        allowed = mask if mask.ndim != 3 else np.expand_dims(mask, 1)
        scores = scores + np.where(allowed, 0.0, -np.inf)
    return np.einsum("bhts,bhsd,hde->bte", softmax(scores), v, w_out.reshape(num_heads, D, E))
