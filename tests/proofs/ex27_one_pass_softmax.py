"""A proof for exercise 27, from its contract alone."""

import numpy as np

from exercises.ex27_one_pass_softmax import attend_to_tile, merge, tiled_attention

NUMBERS = np.random.default_rng(0)
QUERY, KEY, VALUE = (NUMBERS.normal(size=size) for size in ((5, 6), (7, 6), (7, 3)))
MASK = NUMBERS.random((5, 7)) < 0.6
MASK[0], MASK[1], MASK[2, :4], MASK[4, 0] = True, False, False, True
MASK[2, 5] = True


def by_hand(query, key, value, mask):
    """The three parts of all keys at once."""
    scores = np.where(mask, query @ key.T / np.sqrt(query.shape[1]), -np.inf)
    largest = scores.max(axis=1)
    powers = np.where(mask, np.exp(scores - np.where(mask.any(axis=1), largest, 0)[:, None]), 0)
    return largest, powers.sum(axis=1), powers @ value


def same(got, right):
    assert all(a.shape == b.shape and np.allclose(a, b) for a, b in zip(got, right, strict=True))


def test_a_tile():
    for mask in (MASK, MASK | True):
        same(attend_to_tile(QUERY, KEY, VALUE, mask), by_hand(QUERY, KEY, VALUE, mask))
    same(attend_to_tile(QUERY, KEY, VALUE), by_hand(QUERY, KEY, VALUE, MASK | True))


def test_merge_in_either_order():
    for mask in (MASK, MASK | True):
        first = by_hand(QUERY, KEY[:4], VALUE[:4], mask[:, :4])
        second = by_hand(QUERY, KEY[4:], VALUE[4:], mask[:, 4:])
        for pair in ((first, second), (second, first)):
            same(merge(*pair), by_hand(QUERY, KEY, VALUE, mask))


def test_tiles_of_every_size():
    for mask in (MASK, MASK | True):
        _, total, mixed = by_hand(QUERY, KEY, VALUE, mask)
        right = mixed / np.maximum(total, 1)[:, None]
        for tile in range(1, 9):
            assert np.allclose(tiled_attention(QUERY, KEY, VALUE, tile, mask), right)


def test_scores_far_below_zero_and_far_apart():
    one = np.ones((1, 1))
    key, value = np.array([[-60000.0], [-60001.0], [90000.0]]), np.array([[1.0], [3.0], [9.0]])
    mask = np.array([[True, True, False]])
    right = by_hand(one, key[:2], value[:2], mask[:, :2])
    same(attend_to_tile(one, key, value, mask), right)
    for tile in (1, 2, 3):
        got = tiled_attention(one, key, value, tile, mask)
        assert np.allclose(got, right[2] / right[1])
        assert np.allclose(tiled_attention(one, key, value, tile), 9.0)


def test_float32_stays():
    inputs = [each.astype(np.float32) for each in (QUERY, KEY, VALUE)]
    for mask in (None, MASK):
        assert tiled_attention(*inputs, 3, mask).dtype == np.float32


def test_as_many_features_as_queries():
    value = NUMBERS.normal(size=(7, 5))
    whole = by_hand(QUERY, KEY, value, MASK | True)
    halves = [
        by_hand(QUERY, KEY[at], value[at], MASK[:, at] | True) for at in np.split(np.arange(7), [3])
    ]
    same(merge(*halves), whole)
    assert np.allclose(tiled_attention(QUERY, KEY, value, 3), whole[2] / whole[1][:, None])
