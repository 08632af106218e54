"""Your own tests of exercise 02: Attention scores. `kata prove ex02` judges them.

A test is a function `test_…` without arguments. It asserts what the contract promises, the
docstrings of exercises/ex02_attention_scores.py: every answer that keeps it has to pass,
however it is written, and wrong ones have to fail. What the contract leaves free, a test leaves
free, too. Rename these, split them, add more: a few short ones are enough.
"""

if __name__ == "__main__":
    raise SystemExit("This file is judged: kata prove ex02")

import numpy as np

from exercises.ex02_attention_scores import (
    attention_scores,
    attention_weights,
    context_vectors,
    score_query,
)


def test_score_query() -> None:
    raise NotImplementedError("not written yet")


def test_attention_scores() -> None:
    raise NotImplementedError("not written yet")


def test_attention_weights() -> None:
    raise NotImplementedError("not written yet")


def test_context_vectors() -> None:
    raise NotImplementedError("not written yet")
