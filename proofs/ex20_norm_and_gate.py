"""Your own tests of exercise 20: RMSNorm and SwiGLU. `kata prove ex20` judges them.

A test is a function `test_…` without arguments. It asserts what the contract promises, the
docstrings of exercises/ex20_norm_and_gate.py: every answer that keeps it has to pass,
however it is written, and wrong ones have to fail. What the contract leaves free, a test leaves
free, too. Rename these, split them, add more: a few short ones are enough.
"""

if __name__ == "__main__":
    raise SystemExit("This file is judged: kata prove ex20")

import torch

from exercises.ex20_norm_and_gate import RMSNorm, SwiGLU


def test_rmsnorm() -> None:
    raise NotImplementedError("not written yet")


def test_swi_glu() -> None:
    raise NotImplementedError("not written yet")
