"""Your own tests of exercise 07: Splitting and merging heads. `kata prove ex07` judges them.

A test is a function `test_…` without arguments. It asserts what the contract promises, the
docstrings of exercises/ex07_heads.py: every answer that keeps it has to pass,
however it is written, and wrong ones have to fail. What the contract leaves free, a test leaves
free, too. Rename these, split them, add more: a few short ones are enough.
"""

if __name__ == "__main__":
    raise SystemExit("This file is judged: kata prove ex07")

import torch

from exercises.ex07_heads import merge_heads, split_heads


def test_split_heads() -> None:
    raise NotImplementedError("not written yet")


def test_merge_heads() -> None:
    raise NotImplementedError("not written yet")
