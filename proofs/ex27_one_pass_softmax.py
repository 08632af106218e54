"""Your own tests of exercise 27: Softmax in one pass. `kata prove ex27` judges them.

A test is a function `test_…` without arguments. It asserts what the contract promises, the
docstrings of exercises/ex27_one_pass_softmax.py: every answer that keeps it has to pass,
however it is written, and wrong ones have to fail. What the contract leaves free, a test leaves
free, too. Rename these, split them, add more: a few short ones are enough.
"""

if __name__ == "__main__":
    raise SystemExit("This file is judged: kata prove ex27")

import numpy as np

from exercises.ex27_one_pass_softmax import attend_to_tile, merge, tiled_attention


def test_attend_to_tile() -> None:
    raise NotImplementedError("not written yet")


def test_merge() -> None:
    raise NotImplementedError("not written yet")


def test_tiled_attention() -> None:
    raise NotImplementedError("not written yet")
