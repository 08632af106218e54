"""Against "reports stay small": an error with a million frames, and names of megabytes in them."""

import msgpack

from kata.inside import wire

LONG = "x" * 2_000_000


def _many(channel, data):
    kinds = ["RuntimeError", LONG]
    frames = [["submission/" + "y" * 10_000, 1, LONG]] * 2 + [["submission/f", -1, "f"]] * 100_000
    error = {"kinds": kinds, "text": LONG, "frames": frames}
    found = msgpack.packb([False, error, [[], []], [], [f"{each}{LONG[:9]}" for each in range(50_000)]])
    channel.sendall(wire.LENGTH.pack(len(found)) + found)


def softmax(scores, axis=-1):
    wire.send = _many
    return scores
