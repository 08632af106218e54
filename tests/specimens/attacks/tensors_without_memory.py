"""Against "memory is bounded": a thousand tensors of 128 MiB each, which take twenty bytes to send."""

import struct

import msgpack

from kata.inside import wire


def _many(channel, data):
    meta = msgpack.ExtType(wire.TENSOR, struct.pack("<BBBBq", 3 + 128, 0, 1, 0, 1 << 24))
    objects = msgpack.ExtType(wire.ARRAY, struct.pack("<BBBBq", 255, 0, 1, 0, 1 << 24))
    found = msgpack.packb([True, [meta, objects] * 1000, [[], []], [], []])
    channel.sendall(wire.LENGTH.pack(len(found)) + found)


def scaled_dot_product_attention(query, key, value):
    wire.send = _many
    return value
