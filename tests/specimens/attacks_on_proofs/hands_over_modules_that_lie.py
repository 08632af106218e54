"""Gives descriptions of modules that do not hold together."""

import torch
from exercises.ex05_causal_masks import *


def peer():
    return next(c.cell_contents for c in causal_mask.__closure__ if type(c.cell_contents).__name__ == "Peer")


def test_honest():
    assert causal_mask(2).tolist() == [[True, False], [True, True]]


from kata.inside import wire

def test_lies():
    channel = peer().connection._channel
    whole = {"kind": "Linear", "name": None, "plain": {"forward": "x", "__class__": "y", "_parameters": 5}, "training": True,
             "slots": [("weight", True, True, torch.ones(2), None, None)], "children": []}
    for change in ({}, {"kind": "Module"}, {"kind": "__class__"}, {"slots": [("a", 1, 1, None, None, (0, "b", False, (9,), (10**9,), 5))]},
                   {"children": [("x", whole)] * 3000}, {"plain": None}, {"name": ("ex05_causal_masks", "causal_mask")}, {"slots": 5}):
        data = wire.encode(["call", [], (True, 1, "float32"), ("ex05_causal_masks", "causal_mask"), ({"module": {**whole, **change}},), {}])[0]
        wire.send(channel, b"?" + data)
        wire.receive(channel)
