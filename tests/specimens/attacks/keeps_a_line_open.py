"""Against "the run goes on": keeps copies of all its descriptors, and answers on the wrong ones."""

import os

_kept = []
for _place in range(64):
    try:
        _kept.append(os.dup(_place))
    except OSError:
        continue


def softmax(scores, axis=-1):
    for each in _kept:
        try:
            os.write(each, b"\0" * 100)
            os.write(1, b"\xff" * 100)
        except OSError:
            continue
    os.dup2(1, 2)
    return scores
