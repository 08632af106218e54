"""Tells implementations apart by where their errors were raised."""

import torch
from exercises.ex05_causal_masks import *


def test_honest():
    assert causal_mask(2).tolist() == [[True, False], [True, True]]


import traceback

def test_where():
    try:
        padding_mask(torch.tensor([9]), 3)
    except ValueError as error:
        told = "".join(traceback.format_exception(error)).split("proofs/ex05")[0]
        assert "exercises/ex05" not in told and "masked" not in told
    try:
        mask_scores("a", "b")
    except Exception as error:
        assert hash(str(traceback.extract_tb(error.__traceback__))) % 4
