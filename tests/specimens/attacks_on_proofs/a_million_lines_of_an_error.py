"""Raises an error that nobody can read."""

import torch
from exercises.ex05_causal_masks import *


def test_honest():
    assert causal_mask(2).tolist() == [[True, False], [True, True]]


def test_error():
    raise AssertionError("SECRET\n" * 1_000_000)

def test_class():
    raise type("A" * 100_000, (Exception,), {"__str__": lambda self: 1 / 0})()
