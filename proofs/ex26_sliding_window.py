"""Your own tests of exercise 26: Sliding window. `kata prove ex26` judges them.

A test is a function `test_…` without arguments. It asserts what the contract promises, the
docstrings of exercises/ex26_sliding_window.py: every answer that keeps it has to pass,
however it is written, and wrong ones have to fail. What the contract leaves free, a test leaves
free, too. Rename these, split them, add more: a few short ones are enough.
"""

if __name__ == "__main__":
    raise SystemExit("This file is judged: kata prove ex26")

import torch

from exercises.ex26_sliding_window import WindowAttention, keep_last, window_mask


def test_window_mask() -> None:
    raise NotImplementedError("not written yet")


def test_keep_last() -> None:
    raise NotImplementedError("not written yet")


def test_window_attention() -> None:
    raise NotImplementedError("not written yet")
