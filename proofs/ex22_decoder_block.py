"""Your own tests of exercise 22: Decoder block. `kata prove ex22` judges them.

A test is a function `test_…` without arguments. It asserts what the contract promises, the
docstrings of exercises/ex22_decoder_block.py: every answer that keeps it has to pass,
however it is written, and wrong ones have to fail. What the contract leaves free, a test leaves
free, too. Rename these, split them, add more: a few short ones are enough.
"""

if __name__ == "__main__":
    raise SystemExit("This file is judged: kata prove ex22")

import torch

from exercises.ex22_decoder_block import DecoderBlock


def test_decoder_block() -> None:
    raise NotImplementedError("not written yet")
