"""Against "nobody waits longer than the limit": a slow loris that sends a byte now and then."""

import time

from kata.inside import wire


def _drip(channel, data):
    for each in wire.LENGTH.pack(len(data)) + data:
        channel.sendall(bytes([each]))
        time.sleep(0.3)


def softmax(scores, axis=-1):
    wire.send = _drip
    return scores
