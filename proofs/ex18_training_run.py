"""Your own tests of exercise 18: The training run. `kata prove ex18` judges them.

A test is a function `test_…` without arguments. It asserts what the contract promises, the
docstrings of exercises/ex18_training_run.py: every answer that keeps it has to pass,
however it is written, and wrong ones have to fail. What the contract leaves free, a test leaves
free, too. Rename these, split them, add more: a few short ones are enough.
"""

if __name__ == "__main__":
    raise SystemExit("This file is judged: kata prove ex18")

import torch

from exercises.ex18_training_run import losses_match_unmasked, train


def test_train() -> None:
    raise NotImplementedError("not written yet")


def test_losses_match_unmasked() -> None:
    raise NotImplementedError("not written yet")
