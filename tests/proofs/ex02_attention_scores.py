"""A proof for exercise 02, from its contract alone."""

import numpy as np

from exercises.ex02_attention_scores import (
    attention_scores,
    attention_weights,
    context_vectors,
    score_query,
)


def test_scores_are_dot_products():
    for dtype in (np.float32, np.float64):
        queries, keys = np.random.default_rng(0).normal(size=(2, 9, 4)).astype(dtype)
        queries = queries[:5]
        assert np.allclose(score_query(queries[0], keys), keys @ queries[0], atol=1e-5)
        assert np.allclose(attention_scores(queries, keys), queries @ keys.T, atol=1e-5)


def test_weights_of_each_query_sum_to_one():
    powers = np.array([[1.0, 3.0, 4.0], [2.0, 2.0, 4.0]])
    weights = attention_weights(np.log(powers))
    assert np.allclose(weights, powers / 8)
    assert np.allclose(attention_weights(np.log(powers[0])), powers[0] / 8)


def test_large_scores():
    weights = attention_weights(np.array([[10000.0, 10000.0], [-10000.0, -10000.0]]))
    assert np.allclose(weights, 0.5)


def test_contexts_are_mixtures():
    values = np.array([[4.0, 0.0, 8.0], [0.0, 4.0, 8.0]])
    contexts = context_vectors(np.array([[0.25, 0.75], [1.0, 0.0]]), values)
    assert np.allclose(contexts, [[1.0, 3.0, 8.0], [4.0, 0.0, 8.0]])


def test_one_key_for_two_queries():
    contexts = context_vectors(np.array([[1.0], [1.0]]), np.array([[3.0, 5.0]]))
    assert contexts.tolist() == [[3.0, 5.0], [3.0, 5.0]]


def test_no_argument_is_changed():
    query, keys = np.array([1.0, 2.0]), np.array([[3.0, 4.0], [5.0, 6.0]])
    score_query(query, keys)
    attention_scores(keys, keys)
    attention_weights(keys)
    context_vectors(np.full((2, 2), 0.5), keys)
    assert query.tolist() == [1.0, 2.0]
    assert keys.tolist() == [[3.0, 4.0], [5.0, 6.0]]
