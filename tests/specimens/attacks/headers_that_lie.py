"""Against "the run goes on": arrays whose headers are about other memory than what follows."""

import itertools
import struct

import msgpack

from kata.inside import wire

_MEMORY = bytes(64)


def _header(dtype, grad, shape, steps):
    return struct.pack(f"<BBBB{len(shape)}q{len(steps)}q", dtype, grad, len(shape), len(steps),
                       *shape, *steps)


_ODD = [
    _header(2, 0, (8, 1), (1, 1 << 59)) + _MEMORY, _header(2, 0, (1,) * 16, (1,) * 16) + _MEMORY[:8],
    _header(12, 0, (64,), (1,)) + _MEMORY, _header(14, 0, (64,), (1,)) + _MEMORY,
    _header(2, 0, (0, 1 << 20), (1 << 20, 1)), _header(2, 1, (0, 3), (1 << 40, 1 << 40)),
]
_WRONG = [
    _header(2, 0, (0, 1 << 20, 1 << 20, 1 << 20), (1, 1, 1, 1)), _header(130, 1, (1 << 24,), ()),
    _header(130, 0, (1 << 12, 1 << 12), (1, 1)), _header(2, 0, (0, 1 << 62), (1 << 62, 1)),
    b"", b"\x02", b"\xff\xff\xff\xff", _header(2, 0, (3,), ()), _header(2, 0, (3,), (-1,)),
    _header(2, 0, (1 << 40,), (1,)), _header(2, 0, (-3,), (1,)), _header(2, 0, (2, 4), (0, 1)),
    _header(2, 0, (8,), (1 << 60,)), _header(200, 0, (8,), (1,)), _header(255, 0, (1 << 24,), ()),
    _header(2, 0, (2,) * 20, (1,) * 20), _header(8, 1, (8,), (1,)), _header(9, 1, (64,), (1,)),
]
_next = itertools.cycle([(kind, each) for each in [*_ODD, *_WRONG] for kind in (2, 3)])


def _lie(channel, data):
    kind, array = next(_next)
    result = msgpack.packb([True, msgpack.ExtType(kind, array), [[], []], [], []])
    channel.sendall(wire.LENGTH.pack(len(result)) + result)


def softmax(scores, axis=-1):
    wire.send = _lie
    return scores
