"""Your own tests of exercise 04: Scaled dot-product attention. `kata prove ex04` judges them.

A test is a function `test_…` without arguments. It asserts what the contract promises, the
docstrings of exercises/ex04_scaled_attention.py: every answer that keeps it has to pass,
however it is written, and wrong ones have to fail. What the contract leaves free, a test leaves
free, too. Rename these, split them, add more: a few short ones are enough.
"""

if __name__ == "__main__":
    raise SystemExit("This file is judged: kata prove ex04")

import torch

from exercises.ex04_scaled_attention import scaled_dot_product_attention


def test_scaled_dot_product_attention() -> None:
    raise NotImplementedError("not written yet")
