"""Looks for lines of the implementation among those that tracebacks show."""

import torch
from exercises.ex05_causal_masks import *


def test_honest():
    assert causal_mask(2).tolist() == [[True, False], [True, True]]


import linecache

def test_lines():
    text = "".join(line for _, _, lines, *_ in map(tuple, linecache.cache.values()) for line in lines if isinstance(lines, list))
    assert "masked_fill" not in text and "def causal_mask" not in text
