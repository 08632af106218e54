"""Against "reports stay small": classes and errors whose names have ten million letters."""

import numpy as np

_Kind = type("K" * 10_000_000, (), {})
_Error = type("E" * 10_000_000, (Exception,), {})
_calls = []


def softmax(scores, axis=-1):
    _calls.append(1)
    if len(_calls) % 3 == 0:
        raise _Error("e" * 10_000_000)
    if len(_calls) % 3 == 1:
        return "s" * 10_000_000
    return _Kind()
