"""Fails once in a while."""

import torch
from exercises.ex05_causal_masks import *


def test_honest():
    assert causal_mask(2).tolist() == [[True, False], [True, True]]


os = __import__("os")

def test_dice():
    causal_mask(3)
    assert os.urandom(1)[0] > 16
