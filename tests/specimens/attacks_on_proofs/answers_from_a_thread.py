"""Lets a thread ask while a test asks."""

import torch
from exercises.ex05_causal_masks import *


def test_honest():
    assert causal_mask(2).tolist() == [[True, False], [True, True]]


threading = __import__("threading")

def test_thread():
    def ask():
        for _ in range(50):
            try:
                causal_mask(3)
            except BaseException:
                pass
    for _ in range(4):
        threading.Thread(target=ask, daemon=True).start()
    for _ in range(50):
        causal_mask(2)
