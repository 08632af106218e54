"""Your own tests of exercise 06: Causal attention. `kata prove ex06` judges them.

A test is a function `test_…` without arguments. It asserts what the contract promises, the
docstrings of exercises/ex06_causal_attention.py: every answer that keeps it has to pass,
however it is written, and wrong ones have to fail. What the contract leaves free, a test leaves
free, too. Rename these, split them, add more: a few short ones are enough.
"""

if __name__ == "__main__":
    raise SystemExit("This file is judged: kata prove ex06")

import torch

from exercises.ex06_causal_attention import CausalAttention


def test_causal_attention() -> None:
    raise NotImplementedError("not written yet")
