"""Against "reports stay small": prints a hundred megabytes in its first call."""

_LINE = "passed " * 1000 + "\n"
_left = [15_000]


def softmax(scores, axis=-1):
    for _ in range(_left.pop() if _left else 0):
        print(_LINE, end="")
    return scores
