import numpy as np


def score_query(query: np.ndarray, keys: np.ndarray) -> np.ndarray:
    scores = np.zeros(len(keys), dtype=query.dtype)
    for s in range(len(keys)):
        for e in range(len(query)):
            scores[s] += query[e] * keys[s, e]
    return scores


def attention_scores(queries: np.ndarray, keys: np.ndarray) -> np.ndarray:
    scores = np.zeros((len(queries), len(keys)), dtype=queries.dtype)
    for t in range(len(queries)):
        scores[t] = score_query(queries[t], keys)
    return scores


def attention_weights(scores: np.ndarray) -> np.ndarray:
    exps = np.exp(scores)
    return exps / exps.sum(axis=-1, keepdims=True)


def context_vectors(weights: np.ndarray, values: np.ndarray) -> np.ndarray:
    contexts = np.zeros((len(weights), values.shape[1]), dtype=values.dtype)
    for t in range(len(weights)):
        for s in range(len(values)):
            contexts[t] += weights[t, s] * values[s]
    return contexts
