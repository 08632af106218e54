# coding: raw_unicode_escape
"""Against "the run goes on": half a letter in a string, which no coding can write."""


def softmax(scores, axis=-1):
    return {"\ud800": scores}["\ud800"] + scores.\u0061ny()
