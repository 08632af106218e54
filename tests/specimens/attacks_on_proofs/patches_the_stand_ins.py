"""Answers its own questions, and fails where it likes."""

import torch
from exercises.ex05_causal_masks import *


def test_honest():
    assert causal_mask(2).tolist() == [[True, False], [True, True]]


def peer():
    return next(c.cell_contents for c in causal_mask.__closure__ if type(c.cell_contents).__name__ == "Peer")


def test_patched():
    kind = type(peer())
    kind.call = lambda *_, **__: torch.ones(2, 2)
    assert causal_mask(2).all()

def test_more():
    os = __import__("os")
    assert os.urandom(1)[0] > 20
