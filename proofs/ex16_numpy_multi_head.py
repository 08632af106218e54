"""Your own tests of exercise 16: Multi-head attention in NumPy. `kata prove ex16` judges them.

A test is a function `test_…` without arguments. It asserts what the contract promises, the
docstrings of exercises/ex16_numpy_multi_head.py: every answer that keeps it has to pass,
however it is written, and wrong ones have to fail. What the contract leaves free, a test leaves
free, too. Rename these, split them, add more: a few short ones are enough.
"""

if __name__ == "__main__":
    raise SystemExit("This file is judged: kata prove ex16")

import numpy as np

from exercises.ex16_numpy_multi_head import merge_heads, multi_head_attention, split_heads


def test_split_heads() -> None:
    raise NotImplementedError("not written yet")


def test_merge_heads() -> None:
    raise NotImplementedError("not written yet")


def test_multi_head_attention() -> None:
    raise NotImplementedError("not written yet")
