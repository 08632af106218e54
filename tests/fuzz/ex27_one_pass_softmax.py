"""What exercise 27 promises, drawn at random."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from kata.upkeep.fuzz import Draw, Trial


def trials(draw: Draw) -> Iterator[Trial]:
    """Tiles of any size, masks with empty rows, scores near zero and far from it."""
    queries, keys, width, features = draw.sizes(4)
    size, tile, dtype = draw.one_of(1, 1, 3000), draw.size(), draw.one_of("float64", "float32")
    spread = size if dtype == "float64" else 1  # far from zero float32 rounds the scores themselves
    query = draw.normal(queries, width, scale=spread, dtype=dtype)
    key = draw.normal(keys, width, dtype=dtype)
    value = draw.normal(keys, features, dtype=dtype)
    mask = draw.one_of(draw.mask([(queries, keys)], empty=True), None)
    yield Trial("attend_to_tile", _parts, [query, key, value, mask], 10 * spread)
    yield Trial("merge", _merged, [query, key, value, mask, tile], 10 * spread)
    call = lambda it, *a: it.tiled_attention(*a)
    arguments = [query, key, value, tile, mask]
    yield Trial("tiled_attention", call, arguments, 10 * spread, keeps_dtype=True, zeros=True)


def _parts(it: Any, *arguments: Any) -> list[Any]:
    return _told(it.attend_to_tile(*arguments))


def _merged(it: Any, query: Any, key: Any, value: Any, mask: Any, at: int) -> list[Any]:
    """The parts of the first keys and of all of them, which count twice then."""
    seen = None if mask is None else mask[:, :at]
    first = tuple(it.attend_to_tile(query, key[:at], value[:at], seen))
    return _told(it.merge(first, tuple(it.attend_to_tile(query, key, value, mask))))


def _told(parts: Any) -> list[Any]:
    """Which largest scores are −inf, and all numbers, with a 0 in place of those."""
    largest, total, mixed = parts
    return [np.isneginf(largest), np.where(np.isneginf(largest), 0, largest), total, mixed]
