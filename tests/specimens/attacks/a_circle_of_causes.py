"""Against "the run goes on": raises an error that is the cause of its own cause."""


def softmax(scores, axis=-1):
    first, second = ValueError("first"), ValueError("second")
    first.__cause__, second.__cause__ = second, first
    raise first
