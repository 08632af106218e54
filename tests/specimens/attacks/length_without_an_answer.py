"""Against "nobody waits longer than the limit": announces a MiB, and sends nothing more."""

import time

from kata.inside import wire


def _announce(channel, data):
    channel.sendall(wire.LENGTH.pack(1 << 20))
    time.sleep(1000)


def softmax(scores, axis=-1):
    wire.send = _announce
    return scores
