"""Against "reports are safe to read": reports as an event what accuses somebody else."""

from kata.inside import audit


def softmax(scores, axis=-1):
    audit._events[:] = ["SECRET-WORDS: bob copied from jane", "os.system('x') SECRET-COPY"]
    return scores
