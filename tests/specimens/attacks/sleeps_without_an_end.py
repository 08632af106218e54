"""Against "nobody waits longer than the limit": sleeps, and uses no time of any processor."""

import time


def softmax(scores, axis=-1):
    while True:
        time.sleep(3600)
