"""Your own tests of exercise 25: Grouped queries. `kata prove ex25` judges them.

A test is a function `test_…` without arguments. It asserts what the contract promises, the
docstrings of exercises/ex25_grouped_queries.py: every answer that keeps it has to pass,
however it is written, and wrong ones have to fail. What the contract leaves free, a test leaves
free, too. Rename these, split them, add more: a few short ones are enough.
"""

if __name__ == "__main__":
    raise SystemExit("This file is judged: kata prove ex25")

import torch

from exercises.ex25_grouped_queries import GroupedQueryAttention, cache_size, repeat_heads


def test_repeat_heads() -> None:
    raise NotImplementedError("not written yet")


def test_cache_size() -> None:
    raise NotImplementedError("not written yet")


def test_grouped_query_attention() -> None:
    raise NotImplementedError("not written yet")
