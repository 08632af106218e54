"""Against "the run goes on": a list that never ends inwards, and one that is very deep."""

_loop = []
_loop.append(_loop)
_deep = []
for _ in range(100_000):
    _deep = [_deep]
_calls = []


def softmax(scores, axis=-1):
    _calls.append(1)
    return _loop if len(_calls) % 2 else _deep
