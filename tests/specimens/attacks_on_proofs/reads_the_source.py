"""Fails where the text of the function is not that of the reference."""

import torch
from exercises.ex05_causal_masks import *


def test_honest():
    assert causal_mask(2).tolist() == [[True, False], [True, True]]


inspect = __import__("inspect")

def test_text():
    for each in (causal_mask, padding_mask, mask_scores, mask_weights, masked_attention):
        assert "masked_fill" in inspect.getsource(each) or "tril" in inspect.getsource(each)
