"""Exercise 16: multi-head attention in NumPy, with nothing but arrays.

All arrays are float32 or float64, but for the masks, and none of them is changed. None need be
contiguous.
"""

if __name__ == "__main__":
    raise SystemExit(f"This file is run by its tests: pytest {__file__}")

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
    raise NotImplementedError("ex16 split_heads: not written yet")


def merge_heads(x: np.ndarray) -> np.ndarray:
    """Put the heads side by side again: what split_heads took apart comes back as it was.

    Args:
        x: (B, H, S, D).

    Returns:
        (B, S, E) with E = H·D; the features h·D to (h+1)·D − 1 are those of head h.

    >>> merge_heads(np.array([[[[1.0, 2.0], [5.0, 6.0]], [[3.0, 4.0], [7.0, 8.0]]]])).tolist()
    [[[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]]]
    """
    raise NotImplementedError("ex16 merge_heads: not written yet")


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

    Each head attends with its own D features: scores are divided by √D. They may lie anywhere
    between −10,000 and 10,000, those of hidden keys too.

    Args:
        x: (B, S, E); queries, keys and values are all made from it.
        w_query, w_key, w_value: (E, E), used as x @ w; there are no biases.
        w_out: (E, E), used in the same way on the merged heads.
        num_heads: H, a divisor of E.
        mask: bool, True = may attend: rows are queries, columns are keys. Either (S, S), the same
            for all samples and heads; or (B, S, S), one for each sample, the same for all of its
            heads; or (B, H, S, S). Any size may also be 1 and then broadcasts: (B, 1, S) hides the
            same keys from every query of a sample. No row hides every key. None hides nothing. A
            hidden key has no influence at all, however large its value is, as long as it is finite.

    Returns:
        (B, S, E), the output alone; float32 or float64 is free.

    >>> x, one = np.array([[[1.0, 2.0], [3.0, 6.0]]]), np.eye(2)
    >>> multi_head_attention(x, 0 * one, one, one, one, num_heads=2).tolist()
    [[[2.0, 4.0], [2.0, 4.0]]]
    """
    raise NotImplementedError("ex16 multi_head_attention: not written yet")
