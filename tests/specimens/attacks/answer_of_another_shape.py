"""Against "the run goes on": answers with documents that are no answer at all."""

import itertools
import os
import socket
import struct
import threading

_ODD = [b"\xc0", b"\x90", b"\x94\xc3\xc3\xc3\xc3", b"\x91\xc3", b"\xc1", b"", b"\x81\xa1a\x01",
        b"\x94\xc2\xc0\x90\x90", b"\x94\xc2\x83\xa5kinds\x05\xa4text\xc0\xa6frames\x07\x90\x90",
        b"\x94\xc3\x80\xca\x7f\xc0\x00\x00\x90", b"\xd6\xff\x00\x00\x00\x00"]
_next = itertools.cycle(_ODD)


def _send(self, data):
    odd = next(_next)
    self.sendall(struct.pack("<I", len(odd)) + odd)


from kata.inside import wire  # noqa: E402


def _instead(channel, data):
    _send(channel, data)


wire.send = _instead


def softmax(scores, axis=-1):
    return scores
