"""Against "reports stay small": says that its error was in a line whose number is longer than the file."""

from kata.inside import session


def _elsewhere(error):
    frames = [["submission/ex01_softmax.py", "9" * 4300, "f" * 200]] * 2000
    return {"kinds": ["E" * 200] * 2000, "text": "x" * 400, "frames": frames}


def softmax(scores, axis=-1):
    session._as_data = _elsewhere
    raise ValueError
