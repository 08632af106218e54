"""Against "reports stay small": returns a number that takes minutes to be written down."""


def softmax(scores, axis=-1):
    return 10**1_000_000
