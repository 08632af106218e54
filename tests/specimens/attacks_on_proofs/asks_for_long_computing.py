"""Fails where an answer is not there in time."""

import torch
from exercises.ex05_causal_masks import *


def test_honest():
    assert causal_mask(2).tolist() == [[True, False], [True, True]]


def test_long():
    big, mask = torch.zeros(4, 600, 16), causal_mask(600)
    try:
        for _ in range(5000):
            masked_attention(big, big, big, mask)
    except BaseException:
        assert False
