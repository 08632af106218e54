"""Whether it fails is decided when the file is read."""

import torch
from exercises.ex05_causal_masks import *


def test_honest():
    assert causal_mask(2).tolist() == [[True, False], [True, True]]


os = __import__("os")

bad = os.urandom(1)[0] < 20

def test_dice():
    assert not bad
