"""Against "memory is bounded": one MiB, and a million references to it."""

import msgpack
import numpy as np

from kata.inside import wire


def _many(channel, data):
    array = msgpack.unpackb(wire.encode(np.zeros(1 << 17))[0])
    again = msgpack.ExtType(wire.AGAIN, wire.LENGTH.pack(0))
    found = msgpack.packb([True, [array, *[again] * 1_000_000], [[], []], [], []])
    channel.sendall(wire.LENGTH.pack(len(found)) + found)


def softmax(scores, axis=-1):
    wire.send = _many
    return scores
