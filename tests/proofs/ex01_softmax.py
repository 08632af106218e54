"""A proof for exercise 01, from its contract alone."""

import numpy as np

from exercises.ex01_softmax import softmax


def test_three_scores_by_hand():
    assert np.allclose(softmax(np.log([1.0, 2.0, 5.0])), [1 / 8, 2 / 8, 5 / 8])


def test_each_axis():
    scores = np.random.default_rng(0).normal(size=(2, 3, 4))
    for axis in (0, 1, 2, -1, -2, -3):
        powers = np.exp(scores)
        assert np.allclose(softmax(scores, axis=axis), powers / powers.sum(axis, keepdims=True))


def test_large_scores():
    weights = softmax(np.array([[10000.0, 10000.0], [-10000.0, -10000.0]]))
    assert np.allclose(weights, 0.5)


def test_minus_infinity():
    weights = softmax(np.array([[-np.inf, 3.0], [-10000.0, -np.inf]]))
    assert weights.tolist() == [[0.0, 1.0], [1.0, 0.0]]


def test_dtype_and_argument_stay():
    for dtype in (np.float32, np.float64):
        scores = np.array([1.0, 2.0, 4.0], dtype=dtype)
        before = scores.copy()
        assert softmax(scores).dtype == dtype
        assert np.array_equal(scores, before)
