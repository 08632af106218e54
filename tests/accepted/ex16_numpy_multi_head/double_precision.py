"""Everything in float64, cast back at the end; masks as a list of samples.

The contract: "the output alone; float32 or float64 is free."
"""

import numpy as np


def split_heads(x, num_heads):
    assert x.ndim == 3
    if x.shape[2] % num_heads:
        raise ValueError(str((x.shape, num_heads)))
    heads = x[..., np.newaxis].reshape(x.shape[0], x.shape[1], num_heads, x.shape[2] // num_heads)
    return np.rollaxis(heads, 2, 1).copy()


def merge_heads(x):
    return np.stack([np.hstack(list(sample)) for sample in x])


def weights_of(scores):
    shifted = scores - np.amax(scores, axis=-1, keepdims=True)
    return np.exp(shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True)))


def multi_head_attention(x, w_query, w_key, w_value, w_out, num_heads, mask=None):
    kind, x = x.dtype, x.astype(np.float64)
    outputs = []
    for b, sample in enumerate(x):
        q, k, v = (split_heads(sample[None] @ w, num_heads)[0] for w in (w_query, w_key, w_value))
        scores = np.multiply(q @ k.transpose(0, 2, 1), 1 / np.sqrt(q.shape[2]))
        if mask is not None:
            mine = mask if mask.ndim == 2 else mask[b if len(mask) > 1 else 0]
            scores = np.ma.filled(
                np.ma.masked_array(scores, ~np.broadcast_to(mine, scores.shape)), -np.inf
            )
        outputs.append(merge_heads((weights_of(scores) @ v)[None])[0] @ w_out)
    return np.stack(outputs).astype(kind)
