"""Against "reports stay small": an error whose text has 256 MiB."""


_sizes = [256 << 20, 256 << 20]


class Long(Exception):
    def __str__(self):
        return "x" * (_sizes.pop() if _sizes else 1 << 20)


def softmax(scores, axis=-1):
    raise Long
