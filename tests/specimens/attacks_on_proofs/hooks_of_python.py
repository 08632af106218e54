"""Watches from within what runs outside of its tests."""

import torch
from exercises.ex05_causal_masks import *


def test_honest():
    assert causal_mask(2).tolist() == [[True, False], [True, True]]


import atexit
import sys

seen = []
sys.settrace(lambda *each: seen.append(str(each[0].f_code)))
sys.setprofile(lambda *each: seen.append(str(each[0].f_code.co_filename)))
sys.addaudithook(lambda *each: seen.append(each[0]))
atexit.register(print, seen)

def test_seen():
    causal_mask(2)
    assert not any("kata_answer" in each for each in seen)
    assert len(seen) % 5
