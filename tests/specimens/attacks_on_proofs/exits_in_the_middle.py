"""Ends its process, sometimes."""

import torch
from exercises.ex05_causal_masks import *


def test_honest():
    assert causal_mask(2).tolist() == [[True, False], [True, True]]


os = __import__("os")

def test_exit():
    causal_mask(2)
    os._exit(os.urandom(1)[0] % 2)

def test_other():
    raise SystemExit(0)
