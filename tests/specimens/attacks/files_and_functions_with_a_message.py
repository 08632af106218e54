"""Against "reports are safe to read": names files and functions in its frames that say something."""

from kata.inside import session


def _elsewhere(error):
    files = ["ex01_softmax.SECRET-SUFFIX", "SECRET-FILE.py", "ex01_softmax.py"]
    frames = [[f"submission/{each}", 1, "SECRET" + "-FUNCTION"] for each in files]
    return {"kinds": ["ValueError"], "text": "x", "frames": frames}


def softmax(scores, axis=-1):
    session._as_data = _elsewhere
    raise ValueError
