"""Attention in tiles with a running maximum, as explanations of FlashAttention have it."""

import math

import numpy as np


def attend_to_tile(
    query: np.ndarray, key: np.ndarray, value: np.ndarray, mask: np.ndarray | None = None
) -> tuple[np.ndarray, ...]:
    """The largest score, the sum of exponentials and the sum of values of one tile."""
    scores = query @ key.T / math.sqrt(query.shape[-1])
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    largest = scores.max(axis=-1)
    exps = np.exp(scores - largest[:, None])
    return largest, exps.sum(axis=-1), exps @ value


def merge(first: tuple[np.ndarray, ...], second: tuple[np.ndarray, ...]) -> tuple[np.ndarray, ...]:
    """Both scaled to the larger of the largest scores, and added."""
    largest1, total1, mixed1 = first
    largest2, total2, mixed2 = second
    largest = np.maximum(largest1, largest2)
    scale1, scale2 = np.exp(largest1 - largest), np.exp(largest2 - largest)
    total = scale1 * total1 + scale2 * total2
    mixed = scale1[:, None] * mixed1 + scale2[:, None] * mixed2
    return largest, total, mixed


def tiled_attention(
    query: np.ndarray, key: np.ndarray, value: np.ndarray, tile: int, mask: np.ndarray | None = None
) -> np.ndarray:
    """Attention over all keys, a tile of them at a time."""
    T, S = len(query), len(key)
    parts = np.full(T, -np.inf), np.zeros(T), np.zeros((T, value.shape[-1]))
    for i in range(0, S, tile):
        seen = None if mask is None else mask[:, i : i + tile]
        parts = merge(parts, attend_to_tile(query, key[i : i + tile], value[i : i + tile], seen))
    _, total, mixed = parts
    return mixed / total[:, None]
