"""Against "nobody waits longer than the limit": a loop that no other thread of Python interrupts."""


def softmax(scores, axis=-1):
    sum(range(10**15))
