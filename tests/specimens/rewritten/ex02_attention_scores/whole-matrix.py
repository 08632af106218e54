import numpy as np


def score_query(query: np.ndarray, keys: np.ndarray) -> np.ndarray:
    return (keys * query).sum(axis=1)


def attention_scores(queries: np.ndarray, keys: np.ndarray) -> np.ndarray:
    products = queries[:, np.newaxis, :] * keys[np.newaxis, :, :]
    return products.sum(axis=2)


def attention_weights(scores: np.ndarray) -> np.ndarray:
    highest = np.max(scores)
    unnormalised = np.exp(scores - highest)
    return unnormalised / np.sum(unnormalised)


def context_vectors(weights: np.ndarray, values: np.ndarray) -> np.ndarray:
    return weights.dot(values)
