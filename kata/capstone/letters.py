"""The text that a model learns from, letter by letter: Alice's Adventures in Wonderland.

Lewis Carroll, 1865; it is in the public domain.
"""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import torch
from torch import Tensor

PATH = Path(__file__).with_name("alice.txt")
HELD_OUT = 0.1  # the share at the end that is not trained on


@dataclass(frozen=True)
class Letters:
    """A text as numbers, one for each different letter or sign."""

    text: str

    @cached_property
    def alphabet(self) -> str:
        """Every letter that occurs, in the order of their numbers."""
        return "".join(sorted(set(self.text)))

    def numbers(self, text: str) -> list[int]:
        """A text as numbers; letters that never occur are left out."""
        return [self.alphabet.index(letter) for letter in text if letter in self.alphabet]

    def spelled(self, numbers: list[int]) -> str:
        """The text of these numbers."""
        return "".join(self.alphabet[number] for number in numbers)

    @cached_property
    def split(self) -> tuple[Tensor, Tensor]:
        """What is trained on, and what is held out."""
        numbers = torch.tensor(self.numbers(self.text))
        end = int(len(numbers) * (1 - HELD_OUT))
        return numbers[:end], numbers[end:]


def letters() -> Letters:
    """The letters of the whole book."""
    return Letters(PATH.read_text(encoding="utf-8"))
