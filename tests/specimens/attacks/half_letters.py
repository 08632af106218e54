# coding: unicode_escape
"""Against "the run goes on": halves of letters, which no coding can write."""


def softmax(scores, axis=-1):
    return scores.\ud800 + "\ud800"
