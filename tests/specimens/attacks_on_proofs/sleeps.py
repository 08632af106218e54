"""Waits for ever."""

import torch
from exercises.ex05_causal_masks import *


def test_honest():
    assert causal_mask(2).tolist() == [[True, False], [True, True]]


time = __import__("time")

def test_sleep():
    causal_mask(2)
    time.sleep(10_000)
