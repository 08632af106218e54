"""Fails where objects lie at other addresses."""

import torch
from exercises.ex05_causal_masks import *


def test_honest():
    assert causal_mask(2).tolist() == [[True, False], [True, True]]


def test_addresses():
    answer = causal_mask(40)
    assert answer.data_ptr() // 64 % 3 and id(answer) // 16 % 5
