"""Your own tests of exercise 12: Layer norm. `kata prove ex12` judges them.

A test is a function `test_…` without arguments. It asserts what the contract promises, the
docstrings of exercises/ex12_layer_norm.py: every answer that keeps it has to pass,
however it is written, and wrong ones have to fail. What the contract leaves free, a test leaves
free, too. Rename these, split them, add more: a few short ones are enough.
"""

if __name__ == "__main__":
    raise SystemExit("This file is judged: kata prove ex12")

import torch

from exercises.ex12_layer_norm import LayerNorm


def test_layer_norm() -> None:
    raise NotImplementedError("not written yet")
