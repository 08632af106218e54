"""Your own tests of exercise 13: Feed-forward. `kata prove ex13` judges them.

A test is a function `test_…` without arguments. It asserts what the contract promises, the
docstrings of exercises/ex13_feed_forward.py: every answer that keeps it has to pass,
however it is written, and wrong ones have to fail. What the contract leaves free, a test leaves
free, too. Rename these, split them, add more: a few short ones are enough.
"""

if __name__ == "__main__":
    raise SystemExit("This file is judged: kata prove ex13")

import torch

from exercises.ex13_feed_forward import FeedForward


def test_feed_forward() -> None:
    raise NotImplementedError("not written yet")
