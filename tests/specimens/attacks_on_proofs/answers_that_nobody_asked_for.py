"""Sends answers and questions out of turn."""

import torch
from exercises.ex05_causal_masks import *


def peer():
    return next(c.cell_contents for c in causal_mask.__closure__ if type(c.cell_contents).__name__ == "Peer")


def test_honest():
    assert causal_mask(2).tolist() == [[True, False], [True, True]]


from kata.inside import wire

def test_out_of_turn():
    channel = peer().connection._channel
    for kind in (b"!", b"?", b"!", b"?"):
        wire.send(channel, kind + wire.encode([0, [None, []]])[0])
    causal_mask(2)
