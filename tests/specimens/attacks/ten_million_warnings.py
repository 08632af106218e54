"""Against "the run goes on": warnings as errors, and ten million of them."""

import warnings


def softmax(scores, axis=-1):
    warnings.simplefilter("always")
    warnings.showwarning = lambda *_, **__: None
    for _ in range(10_000_000):
        warnings.warn("again", stacklevel=1)
    return scores
