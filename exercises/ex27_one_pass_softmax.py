"""Exercise 27: attention in tiles of keys, so that no array has to hold all scores at once.

The softmax of a row needs the largest score of the whole row and the sum over all of it. Both can
be found tile by tile: what was summed up with another largest score is scaled afterwards. For each
of T queries three things are kept, here called parts:

- largest (T,): the largest score so far, minus infinity if there was none;
- total (T,): the sum of exp(score − largest) so far;
- mixed (T, Dv): the sum of exp(score − largest) · value so far.

All floats are float32 or float64, one dtype in a call, and finite but for `largest`. Sizes are 1 or
more. No array that is given is changed, and none need be contiguous. Scores may lie anywhere
between −100,000 and 100,000, those of hidden keys too.
"""

if __name__ == "__main__":
    raise SystemExit(f"This file is run by its tests: pytest {__file__}")

import math

import numpy as np


def attend_to_tile(
    query: np.ndarray, key: np.ndarray, value: np.ndarray, mask: np.ndarray | None = None
) -> tuple[np.ndarray, ...]:
    """Give the parts of one tile of keys.

    Args:
        query: (T, D).
        key: (S, D), the S keys of the tile.
        value: (S, Dv).
        mask: bool (T, S), True = may attend. None hides nothing. A hidden key has no influence at
            all, however large its score or its value is.

    Returns:
        largest, total, mixed: of the scores query · key / √D that the mask does not hide. A query
        that may attend to no key of this tile has minus infinity, 0 and a row of zeros. For float32
        the parts may be float32 or float64.

    >>> one = np.ones((1, 1))
    >>> attend_to_tile(one, one * [[2.0], [2.0]], np.array([[4.0], [6.0]]))
    (array([2.]), array([2.]), array([[10.]]))
    """
    raise NotImplementedError("ex27 attend_to_tile: not written yet")


def merge(first: tuple[np.ndarray, ...], second: tuple[np.ndarray, ...]) -> tuple[np.ndarray, ...]:
    """Give the parts of two tiles together, as if they had been one.

    Args:
        first: largest, total and mixed of some keys, in a tuple.
        second: those of other keys.

    Returns:
        largest, total, mixed: of all those keys. Where a query may attend to none of them, they are
        minus infinity, 0 and a row of zeros again. No number is NaN, and nothing overflows. For
        float32 they may be float32 or float64.

    >>> few = np.array([0.0]), np.array([1.0]), np.array([[5.0]])
    >>> more = np.array([np.log(2.0)]), np.array([1.0]), np.array([[8.0]])
    >>> largest, total, mixed = merge(few, more)
    >>> total, mixed
    (array([1.5]), array([[10.5]]))
    """
    raise NotImplementedError("ex27 merge: not written yet")


def tiled_attention(
    query: np.ndarray, key: np.ndarray, value: np.ndarray, tile: int, mask: np.ndarray | None = None
) -> np.ndarray:
    """Give softmax(query · key / √D) · value, looking at `tile` keys at a time.

    Args:
        query: (T, D).
        key: (S, D).
        value: (S, Dv).
        tile: how many keys make a tile, 1 or more. It may be more than S, and it need not divide S:
            the last tile then has fewer keys.
        mask: bool (T, S), True = may attend. None hides nothing. A hidden key has no influence at
            all, however large its score or its value is.

    Returns:
        (T, Dv), in the dtype of the inputs. A query that may attend to no key at all gets zeros.

    >>> one, value = np.ones((1, 1)), np.array([[1.0], [2.0], [6.0]])
    >>> tiled_attention(one, np.zeros((3, 1)), value, tile=2).tolist()
    [[3.0]]
    """
    raise NotImplementedError("ex27 tiled_attention: not written yet")
