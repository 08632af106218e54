"""A proof for exercise 19, from its contract alone."""

import math

import pytest
import torch

from exercises.ex19_rotary_positions import (
    pairs_to_halves,
    rotate_halves,
    rotate_pairs,
    rotation_table,
)

BOTH = rotate_pairs, rotate_halves


def any_table(length, pairs):
    angles = 3 * torch.randn(length, pairs)
    return angles.cos(), angles.sin()


def test_each_angle_is_that_of_the_formula():
    for base in (10_000.0, 500.0):
        cos, sin = rotation_table(300, 6, base)
        assert cos.shape == sin.shape == (300, 3)
        for p in (0, 1, 7, 299):
            for i in range(3):
                angle = p * base ** (-2 * i / 6)
                assert abs(cos[p, i] - math.cos(angle)) < 2e-3
                assert abs(sin[p, i] - math.sin(angle)) < 2e-3


def test_each_pair_turns_by_its_own_angle():
    x, (cos, sin) = torch.randn(2, 3, 5, 6), any_table(5, 3)
    pairs, halves = rotate_pairs(x.clone(), cos, sin), rotate_halves(x.clone(), cos, sin)
    for i in range(3):
        for got, one, other in ((pairs, 2 * i, 2 * i + 1), (halves, i, i + 3)):
            a, b, c, s = x[..., one], x[..., other], cos[:, i], sin[:, i]
            assert torch.allclose(got[..., one], a * c - b * s, atol=1e-4)
            assert torch.allclose(got[..., other], a * s + b * c, atol=1e-4)


def test_an_offset_is_a_slice_of_the_table():
    x, (cos, sin) = torch.randn(2, 3, 6), any_table(9, 3)
    for turn in BOTH:
        expected = turn(x.clone(), cos[4:7], sin[4:7])
        assert torch.allclose(turn(x.clone(), cos, sin, 4), expected, atol=1e-4)


def test_a_position_beyond_the_table():
    for turn in BOTH:
        with pytest.raises(ValueError, match=r"(?s)(9.*8|8.*9)"):
            turn(torch.randn(2, 3, 6), *any_table(8, 3), 6)


def test_reordered_features():
    assert pairs_to_halves(torch.arange(6)).tolist() == [0, 2, 4, 1, 3, 5]


def test_no_argument_is_changed():
    x, table = torch.randn(2, 3, 6), any_table(3, 3)
    before = [each.clone() for each in (x, *table)]
    for turn in BOTH:
        turn(x, *table)
    pairs_to_halves(x)
    assert all(map(torch.equal, (x, *table), before))
