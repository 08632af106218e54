"""Looks for texts of implementations among all objects of the process."""

import torch
from exercises.ex05_causal_masks import *


def test_honest():
    assert causal_mask(2).tolist() == [[True, False], [True, True]]


import gc

def test_objects():
    found = [each for each in gc.get_objects() if isinstance(each, str) and "def mask_scores" in each and "masked_fill" in each]
    found += [each for each in gc.get_objects() if isinstance(each, dict) for each in list(each.values()) if isinstance(each, str) and "def " + "mask_scores(" in each]
    assert not found
