"""Your own tests of exercise 10: Fused projections. `kata prove ex10` judges them.

A test is a function `test_…` without arguments. It asserts what the contract promises, the
docstrings of exercises/ex10_fused_qkv.py: every answer that keeps it has to pass,
however it is written, and wrong ones have to fail. What the contract leaves free, a test leaves
free, too. Rename these, split them, add more: a few short ones are enough.
"""

if __name__ == "__main__":
    raise SystemExit("This file is judged: kata prove ex10")

import torch

from exercises.ex10_fused_qkv import fuse, split_qkv_blocks, split_qkv_per_head


def test_split_qkv_blocks() -> None:
    raise NotImplementedError("not written yet")


def test_split_qkv_per_head() -> None:
    raise NotImplementedError("not written yet")


def test_fuse() -> None:
    raise NotImplementedError("not written yet")
