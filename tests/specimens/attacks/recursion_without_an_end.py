"""Against "reports stay small": calls itself until Python has had enough."""


def softmax(scores, axis=-1):
    return softmax(scores, axis)
