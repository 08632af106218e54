"""Counts its runs in a file, so that it fails in chosen ones."""

import torch
from exercises.ex05_causal_masks import *


def test_honest():
    assert causal_mask(2).tolist() == [[True, False], [True, True]]


Path = __import__("pathlib").Path

def test_count():
    for place in ("/tmp/kata-was-here", "/dev/shm/kata-was-here", "kata-was-here", "/var/tmp/kata-was-here"):
        try:
            path = Path(place)
            count = len(path.read_text()) if path.exists() else 0
            path.write_text("x" * (count + 1))
            assert count != 7
        except OSError:
            pass
