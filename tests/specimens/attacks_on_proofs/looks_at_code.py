"""Fails where the code has other constants than in most runs."""

import torch
from exercises.ex05_causal_masks import *


def test_honest():
    assert causal_mask(2).tolist() == [[True, False], [True, True]]


def test_code():
    found = hash(str([each.__code__.co_code + repr(each.__code__.co_consts).encode() for each in (causal_mask, mask_scores)]))
    assert found % 3
