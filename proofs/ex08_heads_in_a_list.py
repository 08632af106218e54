"""Your own tests of exercise 08: Heads in a list. `kata prove ex08` judges them.

A test is a function `test_…` without arguments. It asserts what the contract promises, the
docstrings of exercises/ex08_heads_in_a_list.py: every answer that keeps it has to pass,
however it is written, and wrong ones have to fail. What the contract leaves free, a test leaves
free, too. Rename these, split them, add more: a few short ones are enough.
"""

if __name__ == "__main__":
    raise SystemExit("This file is judged: kata prove ex08")

import torch

from exercises.ex08_heads_in_a_list import HeadsInAList


def test_heads_in_alist() -> None:
    raise NotImplementedError("not written yet")
