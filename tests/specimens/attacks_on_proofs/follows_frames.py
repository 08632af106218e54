"""Looks at what the functions that called it hold."""

import torch
from exercises.ex05_causal_masks import *


def test_honest():
    assert causal_mask(2).tolist() == [[True, False], [True, True]]


import sys

def test_frames():
    frame, told = sys._getframe(), []
    while frame:
        told += [repr(each)[:2000] for each in frame.f_locals.values()]
        frame = frame.f_back
    assert not any("kata_answer" in each or "tril" in each for each in told)
