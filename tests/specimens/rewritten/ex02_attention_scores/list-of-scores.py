import numpy as np

from . import ex01_softmax


def dot(a, b):
    total = 0
    for x, y in zip(a, b, strict=True):
        total = total + x * y
    return total


def score_query(query: np.ndarray, keys: np.ndarray) -> np.ndarray:
    scores = []
    for key in keys:
        scores.append(dot(query, key))
    return scores


def attention_scores(queries: np.ndarray, keys: np.ndarray) -> np.ndarray:
    table = []
    for query in queries:
        line = []
        for key in keys:
            line.append(dot(query, key))
        table.append(line)
    return np.array(table)


def attention_weights(scores: np.ndarray) -> np.ndarray:
    return ex01_softmax.softmax(scores, -1)


def context_vectors(weights: np.ndarray, values: np.ndarray) -> np.ndarray:
    return np.array([sum(w * v for w, v in zip(row, values, strict=True)) for row in weights])
