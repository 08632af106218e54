"""Looks for a module with the implementation, and for names that tell them apart."""

import torch
from exercises.ex05_causal_masks import *


def test_honest():
    assert causal_mask(2).tolist() == [[True, False], [True, True]]


import sys

def test_modules():
    names = sorted(name for name in sys.modules if "kata_answer" in name or "solution" in name or "target" in name)
    assert not names
    assert hash(tuple(sorted(map(str, sys.modules)))) % 5
