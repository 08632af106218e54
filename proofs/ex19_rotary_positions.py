"""Your own tests of exercise 19: Rotary positions. `kata prove ex19` judges them.

A test is a function `test_…` without arguments. It asserts what the contract promises, the
docstrings of exercises/ex19_rotary_positions.py: every answer that keeps it has to pass,
however it is written, and wrong ones have to fail. What the contract leaves free, a test leaves
free, too. Rename these, split them, add more: a few short ones are enough.
"""

if __name__ == "__main__":
    raise SystemExit("This file is judged: kata prove ex19")

import torch

from exercises.ex19_rotary_positions import (
    pairs_to_halves,
    rotate_halves,
    rotate_pairs,
    rotation_table,
)


def test_rotation_table() -> None:
    raise NotImplementedError("not written yet")


def test_rotate_pairs() -> None:
    raise NotImplementedError("not written yet")


def test_rotate_halves() -> None:
    raise NotImplementedError("not written yet")


def test_pairs_to_halves() -> None:
    raise NotImplementedError("not written yet")
