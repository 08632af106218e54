"""Exercise 16: multi-head attention in NumPy, with nothing but arrays.

All arrays are floats, but for the masks, and none of them is changed. None need be contiguous.
"""

import numpy as np

from .ex01_softmax import softmax


def split_heads(x: np.ndarray, num_heads: int) -> np.ndarray:
    """Give each head its own block of features: head h gets the features h·D to (h+1)·D − 1.

    Features and heads are counted from 0, and the last feature named belongs to the head.

    Args:
        x: (B, S, E): samples, tokens, features.
        num_heads: H; each head is D = E / H wide.

    Returns:
        (B, H, S, D).

    Raises:
        ValueError: if E is not divisible by H; the message names both numbers.

    >>> split_heads(np.array([[[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]]]), num_heads=2).tolist()
    [[[[1.0, 2.0], [5.0, 6.0]], [[3.0, 4.0], [7.0, 8.0]]]]
    """
    B, S, E = x.shape
    H = num_heads
    if E % H:
        raise ValueError(f"E = {E} is not a multiple of H = {H}")
    D = E // H
    return np.stack([x[..., h * D : (h + 1) * D - 1] for h in range(H)], axis=1)


def merge_heads(x: np.ndarray) -> np.ndarray:
    """Put the heads side by side again: what split_heads took apart comes back as it was.

    Args:
        x: (B, H, S, D).

    Returns:
        (B, S, E) with E = H·D; the features h·D to (h+1)·D − 1 are those of head h.

    >>> merge_heads(np.array([[[[1.0, 2.0], [5.0, 6.0]], [[3.0, 4.0], [7.0, 8.0]]]])).tolist()
    [[[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]]]
    """
    return np.concatenate([x[:, h] for h in range(x.shape[1])], axis=-1)


def multi_head_attention(
    x: np.ndarray,
    w_query: np.ndarray,
    w_key: np.ndarray,
    w_value: np.ndarray,
    w_out: np.ndarray,
    num_heads: int,
    mask: np.ndarray | None = None,
) -> np.ndarray:
    """Let the tokens of each sample attend to one another: project, split, attend, merge, project.

    Each head attends with its own D features: scores are divided by √D. They may be as large and
    as different as in exercise 01: around 10,000 for one query and around −10,000 for the next.

    Args:
        x: (B, S, E); queries, keys and values are all made from it.
        w_query, w_key, w_value: (E, E), used as x @ w; there are no biases.
        w_out: (E, E), used in the same way on the merged heads.
        num_heads: H, a divisor of E.
        mask: bool, True = may attend: rows are queries, columns are keys. Either (S, S), the same
            for all samples and heads; or (B, S, S), one for each sample, the same for all of its
            heads; or (B, H, S, S). Any size may also be 1 and then broadcasts: (B, 1, S) hides the
            same keys from every query of a sample. No row hides every key. None hides nothing. A
            hidden key, which is finite, has no influence at all.

    Returns:
        (B, S, E), the output alone; float32 or float64 is free.

    >>> x, one = np.array([[[1.0, 2.0], [3.0, 6.0]]]), np.eye(2)
    >>> multi_head_attention(x, 0 * one, one, one, one, num_heads=2).tolist()
    [[[2.0, 4.0], [2.0, 4.0]]]
    """
    q = split_heads(x @ w_query, num_heads)
    k = split_heads(x @ w_key, num_heads)
    v = split_heads(x @ w_value, num_heads)
    scores = q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1])
    if mask is not None:
        if mask.ndim == 3:
            mask = mask[:, None]
        scores = np.where(mask, scores, -np.inf)
    return merge_heads(softmax(scores) @ v) @ w_out
