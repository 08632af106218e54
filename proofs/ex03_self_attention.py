"""Your own tests of exercise 03: Self-attention. `kata prove ex03` judges them.

A test is a function `test_…` without arguments. It asserts what the contract promises, the
docstrings of exercises/ex03_self_attention.py: every answer that keeps it has to pass,
however it is written, and wrong ones have to fail. What the contract leaves free, a test leaves
free, too. Rename these, split them, add more: a few short ones are enough.
"""

if __name__ == "__main__":
    raise SystemExit("This file is judged: kata prove ex03")

import torch

from exercises.ex03_self_attention import SelfAttention, self_attention


def test_self_attention() -> None:
    raise NotImplementedError("not written yet")


def test_self_attention_module() -> None:
    raise NotImplementedError("not written yet")
