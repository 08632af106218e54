"""Your own tests of exercise 21: Attention with a cache. `kata prove ex21` judges them.

A test is a function `test_…` without arguments. It asserts what the contract promises, the
docstrings of exercises/ex21_kv_cache.py: every answer that keeps it has to pass,
however it is written, and wrong ones have to fail. What the contract leaves free, a test leaves
free, too. Rename these, split them, add more: a few short ones are enough.
"""

if __name__ == "__main__":
    raise SystemExit("This file is judged: kata prove ex21")

import torch

from exercises.ex21_kv_cache import CachedAttention, causal_mask_after


def test_causal_mask_after() -> None:
    raise NotImplementedError("not written yet")


def test_cached_attention() -> None:
    raise NotImplementedError("not written yet")
