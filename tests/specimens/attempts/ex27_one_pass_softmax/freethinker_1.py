"""Exercise 27: attention in tiles of keys."""

if __name__ == "__main__":
    raise SystemExit(f"This file is run by its tests: pytest {__file__}")

import math

import numpy as np


def attend_to_tile(
    query: np.ndarray, key: np.ndarray, value: np.ndarray, mask: np.ndarray | None = None
) -> tuple[np.ndarray, ...]:
    query = query.astype(np.float64)
    key = key.astype(np.float64)
    value = value.astype(np.float64)
    scores = query @ key.T / math.sqrt(query.shape[1])
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    largest = scores.max(axis=1)
    safe = np.where(np.isneginf(largest), 0.0, largest)
    weights = np.exp(scores - safe[:, None])
    total = weights.sum(axis=1)
    mixed = weights @ value
    return largest, total, mixed


def merge(first: tuple[np.ndarray, ...], second: tuple[np.ndarray, ...]) -> tuple[np.ndarray, ...]:
    largest1, total1, mixed1 = first
    largest2, total2, mixed2 = second
    largest = np.maximum(largest1, largest2)
    safe = np.where(np.isneginf(largest), 0.0, largest)
    scale1 = np.exp(largest1 - safe)
    scale2 = np.exp(largest2 - safe)
    total = total1 * scale1 + total2 * scale2
    mixed = mixed1 * scale1[:, None] + mixed2 * scale2[:, None]
    return largest, total, mixed


def tiled_attention(
    query: np.ndarray, key: np.ndarray, value: np.ndarray, tile: int, mask: np.ndarray | None = None
) -> np.ndarray:
    parts = None
    for start in range(0, key.shape[0], tile):
        end = start + tile
        part_mask = None
        if mask is not None:
            part_mask = mask[:, start:end]
        new = attend_to_tile(query, key[start:end], value[start:end], part_mask)
        if parts is None:
            parts = new
        else:
            parts = merge(parts, new)
    _, total, mixed = parts
    total = np.where(total == 0, 1.0, total)
    return (mixed / total[:, None]).astype(query.dtype)
