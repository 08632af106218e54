"""Against "nobody waits longer than the limit": stops, and nobody tells it to go on."""

import os
import signal


def softmax(scores, axis=-1):
    try:
        os.kill(os.getpid(), signal.SIGSTOP)
        signal.raise_signal(signal.SIGSTOP)
    except OSError:
        pass
    while True:
        signal.pause()
