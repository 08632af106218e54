"""Against "the run goes on": errors that are no Exception, or fail themselves when they are read."""

import asyncio

_calls = []


class Unreadable(Exception):
    def __str__(self):
        raise Unreadable

    __repr__ = __str__


class Exiting(Exception):
    def __str__(self):
        raise SystemExit(0)


_KINDS = [KeyboardInterrupt, GeneratorExit, SystemExit, StopIteration, Unreadable, Exiting, MemoryError,
          RecursionError, asyncio.CancelledError, BaseException, EOFError, BrokenPipeError, OSError,
          TimeoutError, StopAsyncIteration, BaseExceptionGroup("all", [KeyboardInterrupt()])]


def softmax(scores, axis=-1):
    _calls.append(1)
    kind = _KINDS[len(_calls) % len(_KINDS)]
    raise kind
