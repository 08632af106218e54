"""Asks the other process for texts that hold addresses."""

import torch
from exercises.ex05_causal_masks import *


def test_honest():
    assert causal_mask(2).tolist() == [[True, False], [True, True]]


from types import SimpleNamespace

def test_texts():
    told = ""
    for strange in (SimpleNamespace(a=1), [SimpleNamespace()], "x", torch.nn.Linear(2, 2), 3 + 0.5):
        for function in (causal_mask, padding_mask, mask_scores, masked_attention):
            try:
                function(strange, strange)
            except Exception as error:
                told += str(error)
    assert "0x7" not in told and "0x5" not in told
