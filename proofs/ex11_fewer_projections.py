"""Your own tests of exercise 11: Fewer projections. `kata prove ex11` judges them.

A test is a function `test_…` without arguments. It asserts what the contract promises, the
docstrings of exercises/ex11_fewer_projections.py: every answer that keeps it has to pass,
however it is written, and wrong ones have to fail. What the contract leaves free, a test leaves
free, too. Rename these, split them, add more: a few short ones are enough.
"""

if __name__ == "__main__":
    raise SystemExit("This file is judged: kata prove ex11")

import torch

from exercises.ex11_fewer_projections import FewerProjections, parameter_count


def test_fewer_projections() -> None:
    raise NotImplementedError("not written yet")


def test_parameter_count() -> None:
    raise NotImplementedError("not written yet")
