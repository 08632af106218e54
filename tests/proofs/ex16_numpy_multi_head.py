"""A proof for exercise 16, from its contract alone."""

import numpy as np
import pytest

from exercises.ex16_numpy_multi_head import merge_heads, multi_head_attention, split_heads

ROWS = np.tril(np.ones((4, 4), dtype=bool))
PADDING = np.array([[1, 1, 0, 0], [1, 1, 1, 1], [1, 0, 1, 0]], dtype=bool)[:, None]


def by_hand(x, matrices, num_heads, mask):
    """Head by head; the mask is (B, S, S), or (S, S)."""
    query, key, value = (x @ each for each in matrices[:3])
    outputs = []
    for at in np.split(np.arange(x.shape[-1]), num_heads):
        scores = query[..., at] @ key[..., at].swapaxes(1, 2) / np.sqrt(len(at))
        powers = np.where(mask, np.exp(scores), 0.0)
        outputs.append(powers / powers.sum(-1, keepdims=True) @ value[..., at])
    return np.concatenate(outputs, axis=-1) @ matrices[3]


def test_each_head_gets_its_block():
    x = np.random.default_rng(0).normal(size=(2, 5, 12))
    heads = split_heads(x, 3)
    assert heads.shape == (2, 3, 5, 4)
    assert all(np.allclose(heads[:, h], x[..., 4 * h : 4 * h + 4]) for h in range(3))
    assert np.allclose(merge_heads(heads), x)


def test_heads_stand_side_by_side():
    heads = np.random.default_rng(0).normal(size=(2, 3, 5, 4))
    assert np.allclose(merge_heads(heads), np.concatenate(list(heads.swapaxes(0, 1)), axis=-1))


def test_each_head_attends_under_every_mask():
    numbers = np.random.default_rng(0)
    x, matrices = numbers.normal(size=(3, 4, 6)), numbers.normal(size=(4, 6, 6)) / 2
    for mask in (None, ROWS, PADDING, ROWS & PADDING):
        right = by_hand(x, matrices, 2, True if mask is None else mask)
        assert np.allclose(multi_head_attention(x, *matrices, 2, mask), right, atol=1e-5)


def test_large_scores():
    one = np.ones((1, 1))
    x = np.array([[[90.0], [-90.0]]])
    assert np.allclose(multi_head_attention(x, one, one, one, one, 1), x)


def test_a_width_that_does_not_divide():
    with pytest.raises(ValueError, match=r"(?s)(\b10\b.*4|4.*\b10\b)"):
        split_heads(np.zeros((2, 5, 10)), 4)
