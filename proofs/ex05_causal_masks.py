"""Your own tests of exercise 05: Masks. `kata prove ex05` judges them.

A test is a function `test_…` without arguments. It asserts what the contract promises, the
docstrings of exercises/ex05_causal_masks.py: every answer that keeps it has to pass,
however it is written, and wrong ones have to fail. What the contract leaves free, a test leaves
free, too. Rename these, split them, add more: a few short ones are enough.
"""

if __name__ == "__main__":
    raise SystemExit("This file is judged: kata prove ex05")

import torch

from exercises.ex05_causal_masks import (
    causal_mask,
    mask_scores,
    mask_weights,
    masked_attention,
    padding_mask,
)


def test_causal_mask() -> None:
    raise NotImplementedError("not written yet")


def test_padding_mask() -> None:
    raise NotImplementedError("not written yet")


def test_mask_scores() -> None:
    raise NotImplementedError("not written yet")


def test_mask_weights() -> None:
    raise NotImplementedError("not written yet")


def test_masked_attention() -> None:
    raise NotImplementedError("not written yet")
