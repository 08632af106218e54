"""One query at a time, with the keys that it may see and no others; lists until the end.

The contract: "A hidden key has no influence at all, however large its value is, as long as it is
finite."
"""

import numpy as np


def split_heads(x, num_heads):
    B, S, E = x.shape
    if E / num_heads != E // num_heads:
        raise ValueError("num_heads", num_heads, "does not divide", E)
    out = np.zeros((B, num_heads, S, E // num_heads), dtype=x.dtype)
    for e in range(E):
        out[:, e // (E // num_heads), :, e % (E // num_heads)] = x[:, :, e]
    return out


def merge_heads(x):
    B, H, S, D = x.shape
    out = np.zeros((B, S, H * D), dtype=x.dtype)
    for h in range(H):
        out[:, :, h * D : (h + 1) * D] += x[:, h]
    return out


def may_see(mask, b, h, t, keys):
    if mask is None:
        return np.full(keys, True)
    if mask.ndim == 2:
        mask = mask[None, None]
    elif mask.ndim == 3:
        mask = mask[:, None]
    pick = [i if n > 1 else 0 for i, n in zip((b, h, t), mask.shape)]
    return np.broadcast_to(mask[tuple(pick)], keys)


def multi_head_attention(x, w_query, w_key, w_value, w_out, num_heads, mask=None):
    q, k, v = [split_heads(x @ w, num_heads) for w in (w_query, w_key, w_value)]
    rows = np.zeros(q.shape)
    for b, h, t in np.ndindex(q.shape[:3]):
        seen = may_see(mask, b, h, t, k.shape[2])
        keys, values = k[b, h][seen], v[b, h][seen]
        scores = keys @ q[b, h, t] * q.shape[-1] ** -0.5
        shares = np.exp(scores - scores.max())
        rows[b, h, t] = np.average(values, axis=0, weights=shares)
    return merge_heads(rows) @ w_out
