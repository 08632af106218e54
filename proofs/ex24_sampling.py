"""Your own tests of exercise 24: Sampling. `kata prove ex24` judges them.

A test is a function `test_…` without arguments. It asserts what the contract promises, the
docstrings of exercises/ex24_sampling.py: every answer that keeps it has to pass,
however it is written, and wrong ones have to fail. What the contract leaves free, a test leaves
free, too. Rename these, split them, add more: a few short ones are enough.
"""

if __name__ == "__main__":
    raise SystemExit("This file is judged: kata prove ex24")

import torch

from exercises.ex24_sampling import generate, keep_top_k, keep_top_p, pick, token_probabilities


def test_token_probabilities() -> None:
    raise NotImplementedError("not written yet")


def test_keep_top_k() -> None:
    raise NotImplementedError("not written yet")


def test_keep_top_p() -> None:
    raise NotImplementedError("not written yet")


def test_pick() -> None:
    raise NotImplementedError("not written yet")


def test_generate() -> None:
    raise NotImplementedError("not written yet")
