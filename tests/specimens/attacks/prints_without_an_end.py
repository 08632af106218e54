"""Against "nobody waits longer than the limit": floods its standard error for ever."""

import sys

_LINE = "x" * 100_000


def softmax(scores, axis=-1):
    while True:
        sys.stderr.write(_LINE)
        sys.stderr.flush()
