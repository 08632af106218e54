"""Exercise 02: attention scores in loops, then weights, then context vectors, in NumPy.

The loops are for you, to see every single step: only results are judged. T queries meet S keys,
each a vector of E features; there is at least one of each. The arrays of a call are all float32 or
all float64, and none of them is changed. A result may be either, and is a new array that no later
call changes.
"""

if __name__ == "__main__":
    raise SystemExit(f"This file is run by its tests: pytest {__file__}")

import numpy as np

from .ex01_softmax import softmax


def score_query(query: np.ndarray, keys: np.ndarray) -> np.ndarray:
    """Score one query against every key: the dot product with each of them, in a loop.

    Args:
        query: (E,), one vector.
        keys: (S, E).

    Returns:
        (S,), one score for each key.

    >>> score_query(np.array([1.0, 2.0]), np.array([[1.0, 0.0], [0.0, 1.0], [3.0, 4.0]])).tolist()
    [1.0, 2.0, 11.0]
    """
    raise NotImplementedError("ex02 score_query: not written yet")


def attention_scores(queries: np.ndarray, keys: np.ndarray) -> np.ndarray:
    """Score every query against every key, in two loops.

    Args:
        queries: (T, E).
        keys: (S, E); there may be more or fewer keys than queries.

    Returns:
        (T, S), the scores of query t in row t.

    >>> attention_scores(np.array([[1.0, 0.0], [1.0, 1.0]]), np.array([[2.0, 5.0]])).tolist()
    [[2.0], [7.0]]
    """
    raise NotImplementedError("ex02 attention_scores: not written yet")


def attention_weights(scores: np.ndarray) -> np.ndarray:
    """Turn scores into weights: for each query, a softmax over its keys.

    Args:
        scores: (S,) for one query or (T, S) for several; as large, as different and as infinite as
            those of exercise 01.

    Returns:
        The same shape; the weights of each query are not negative and sum to one.

    >>> attention_weights(np.log([[1.0, 3.0], [1.0, 1.0]])).round(4).tolist()
    [[0.25, 0.75], [0.5, 0.5]]
    """
    raise NotImplementedError("ex02 attention_weights: not written yet")


def context_vectors(weights: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Mix the values: each query's context is the sum of all values, each times its weight.

    Args:
        weights: (T, S), the weights of query t in row t; none is negative, and they sum to one.
        values: (S, Dv), one value for each key, of any width.

    Returns:
        (T, Dv), the context of query t in row t.

    >>> values = np.array([[4.0, 0.0, 8.0], [0.0, 4.0, 8.0]])
    >>> context_vectors(np.array([[0.25, 0.75]]), values).tolist()
    [[1.0, 3.0, 8.0]]
    """
    raise NotImplementedError("ex02 context_vectors: not written yet")
