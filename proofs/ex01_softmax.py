"""Your own tests of exercise 01: Softmax. `kata prove ex01` judges them.

A test is a function `test_…` without arguments. It asserts what the contract promises, the
docstrings of exercises/ex01_softmax.py: every answer that keeps it has to pass,
however it is written, and wrong ones have to fail. What the contract leaves free, a test leaves
free, too. Rename these, split them, add more: a few short ones are enough.
"""

if __name__ == "__main__":
    raise SystemExit("This file is judged: kata prove ex01")

import numpy as np

from exercises.ex01_softmax import softmax


def test_softmax() -> None:
    raise NotImplementedError("not written yet")
