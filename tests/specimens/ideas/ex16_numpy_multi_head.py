"""Multi-head attention in NumPy, as a textbook writes it."""

import numpy as np

from .ex01_softmax import softmax


def split_heads(x: np.ndarray, num_heads: int) -> np.ndarray:
    """(B, S, E) becomes (B, H, S, D)."""
    batch, tokens, width = x.shape
    return x.reshape(batch, tokens, num_heads, width // num_heads).transpose(0, 2, 1, 3)


def merge_heads(x: np.ndarray) -> np.ndarray:
    """(B, H, S, D) becomes (B, S, E)."""
    batch, heads, tokens, width = x.shape
    return x.transpose(0, 2, 1, 3).reshape(batch, tokens, heads * width)


def multi_head_attention(
    x: np.ndarray,
    w_query: np.ndarray,
    w_key: np.ndarray,
    w_value: np.ndarray,
    w_out: np.ndarray,
    num_heads: int,
    mask: np.ndarray | None = None,
) -> np.ndarray:
    """Project, split, attend, merge, project."""
    q = split_heads(x @ w_query, num_heads)
    k = split_heads(x @ w_key, num_heads)
    v = split_heads(x @ w_value, num_heads)
    scores = q @ k.transpose(0, 1, 3, 2) / np.sqrt(q.shape[-1])
    if mask is not None:
        if mask.ndim == 3:
            mask = mask[:, None, :, :]
        scores = np.where(mask, scores, -1e9)
    weights = softmax(scores, axis=-1)
    return merge_heads(weights @ v) @ w_out
