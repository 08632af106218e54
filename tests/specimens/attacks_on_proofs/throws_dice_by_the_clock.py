"""Fails once in a while, as the time says."""

import torch
from exercises.ex05_causal_masks import *


def test_honest():
    assert causal_mask(2).tolist() == [[True, False], [True, True]]


time = __import__("time")

def test_clock():
    assert time.time_ns() // 1000 % 16
