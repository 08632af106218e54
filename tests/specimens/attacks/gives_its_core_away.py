"""Against "nobody waits longer than the limit": lets others run first, again and again."""

import os


def softmax(scores, axis=-1):
    while True:
        os.sched_yield()
