"""Against "the run goes on": lists as deep as Python's own recursion goes, at every depth."""

import itertools

from kata.inside import wire

_depths = itertools.cycle([*range(150, 1000, 17)])


def _deep(channel, data):
    document = b"\x94\xc3\x93" + b"\x91" * next(_depths) + b"\x90" + b"\x90\x90" + b"\x90\x90"
    channel.sendall(wire.LENGTH.pack(len(document)) + document)


def softmax(scores, axis=-1):
    wire.send = _deep
    return scores
