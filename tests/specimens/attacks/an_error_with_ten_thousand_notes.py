"""Against "reports stay small": raises an error that says more each time it is asked."""


def softmax(scores, axis=-1):
    error = ValueError("x" * 1000)
    for number in range(10_000):
        error.add_note(f"{number} " * 100)
    raise error
