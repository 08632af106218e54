"""Against "memory is bounded": each byte of an answer becomes an object of the judge."""

import itertools

from kata.inside import wire

_next = itertools.cycle([b"\xc0", b"\x90", b"\x80", b"\xa0"])


def _many(channel, data):
    size = (7 << 20) if wire.LARGEST < 16 << 20 else 15 << 20
    list32 = b"\xdd" + size.to_bytes(4, "big")
    document = b"\x94\xc3\x93" + list32 + next(_next) * size + b"\x90\x90" + b"\x90\x90"
    channel.sendall(wire.LENGTH.pack(len(document)) + document)


def softmax(scores, axis=-1):
    wire.send = _many
    return scores
