"""The indices as letters.

The contract: "only results are judged."
"""

import numpy as np

from .ex01_softmax import softmax


def score_query(query: np.ndarray, keys: np.ndarray) -> np.ndarray:
    return np.einsum("e,se->s", query, keys)


def attention_scores(queries: np.ndarray, keys: np.ndarray) -> np.ndarray:
    return np.einsum("te,se->ts", queries, keys)


def attention_weights(scores: np.ndarray) -> np.ndarray:
    return softmax(scores, axis=scores.ndim - 1)


def context_vectors(weights: np.ndarray, values: np.ndarray) -> np.ndarray:
    return np.einsum("ts,sd->td", weights, values, optimize=True)
