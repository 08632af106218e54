"""Your own tests of exercise 17: The built-in attention. `kata prove ex17` judges them.

A test is a function `test_…` without arguments. It asserts what the contract promises, the
docstrings of exercises/ex17_builtin_attention.py: every answer that keeps it has to pass,
however it is written, and wrong ones have to fail. What the contract leaves free, a test leaves
free, too. Rename these, split them, add more: a few short ones are enough.
"""

if __name__ == "__main__":
    raise SystemExit("This file is judged: kata prove ex17")

import torch

from exercises.ex17_builtin_attention import builtin_mask, fused_attention, to_builtin


def test_to_builtin() -> None:
    raise NotImplementedError("not written yet")


def test_builtin_mask() -> None:
    raise NotImplementedError("not written yet")


def test_fused_attention() -> None:
    raise NotImplementedError("not written yet")
