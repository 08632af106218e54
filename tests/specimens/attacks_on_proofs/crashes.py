"""Reads where there is nothing."""

import torch
from exercises.ex05_causal_masks import *


def test_honest():
    assert causal_mask(2).tolist() == [[True, False], [True, True]]


ctypes = __import__("ctypes")

def test_crash():
    ctypes.string_at(0)
