"""Against "the run goes on": honest answers in which some bits are others."""

import random

import torch

from kata.inside import wire

_chance = random.Random(7)
_send = wire.send


def _flipped(channel, data):
    found = bytearray(data)
    for _ in range(_chance.randrange(3)):
        found[_chance.randrange(len(found))] ^= 1 << _chance.randrange(8)
    _send(channel, bytes(found))


def scaled_dot_product_attention(query, key, value):
    wire.send = _flipped
    weights = torch.zeros(*query.shape[:-1], key.shape[-2]) * query.sum() * key.sum()
    return weights @ value, weights
