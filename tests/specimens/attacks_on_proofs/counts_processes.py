"""Takes the number of its process for that of the run."""

threading = __import__("threading")

import torch
from exercises.ex05_causal_masks import *


def test_honest():
    assert causal_mask(2).tolist() == [[True, False], [True, True]]


os = __import__("os")

def test_number():
    assert os.getpid() % 4 and threading.get_native_id() % 5
