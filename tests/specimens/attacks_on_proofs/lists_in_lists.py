"""Asks with structures that are deep, wide, or refer to themselves."""

import torch
from exercises.ex05_causal_masks import *


def peer():
    return next(c.cell_contents for c in causal_mask.__closure__ if type(c.cell_contents).__name__ == "Peer")


def test_honest():
    assert causal_mask(2).tolist() == [[True, False], [True, True]]


from kata.inside import wire

def test_deep():
    deep = []
    for _ in range(100_000):
        deep = [deep]
    for strange in (deep, [[]] * 300_000, {"module": {"kind": "Linear"}}, [b"x" * 10_000_000]):
        try:
            causal_mask(strange)
        except Exception:
            pass
    looped = []
    looped.append(looped)
    try:
        causal_mask(looped)
    except RecursionError:
        pass
    for data in (b"\xc1", b"\x91" * 5000, b"\xdd\xff\xff\xff\xff", b"\xc9\xff\xff\xff\xff\x01"):
        wire.send(peer().connection._channel, b"?" + data)
        wire.receive(peer().connection._channel)
