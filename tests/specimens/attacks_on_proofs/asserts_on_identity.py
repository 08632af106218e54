"""Compares what functions are called, and where they are from."""

import torch
from exercises.ex05_causal_masks import *


def test_honest():
    assert causal_mask(2).tolist() == [[True, False], [True, True]]


def test_names():
    for each in (causal_mask, mask_scores):
        assert each.__module__ == "exercises.ex05_causal_masks" and each.__name__ in repr(each)
        assert each.__doc__ is None and hash(each.__qualname__) % 7
    assert type(causal_mask(2)) is torch.Tensor
