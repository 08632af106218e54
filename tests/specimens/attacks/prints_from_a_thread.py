"""Against "nobody waits longer than the limit": a thread floods while the call sleeps."""

import os
import threading
import time


def _flood():
    while True:
        os.write(2, b"x" * 65536)


def softmax(scores, axis=-1):
    threading.Thread(target=_flood, daemon=True).start()
    time.sleep(1000)
