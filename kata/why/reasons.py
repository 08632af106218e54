"""The reason for an exercise, as it stands in reasons.toml."""

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from kata.course.curriculum import Exercise

PATH = Path(__file__).with_name("reasons.toml")


@dataclass(frozen=True)
class Reason:
    """Why a piece exists.

    Attributes:
        why: a few paragraphs.
        experiment: code that yields pairs of a sentence and the numbers that belong to it. It may
            use the names of the exercise and what its file imports.
        reading: one paper or text.
    """

    why: str
    experiment: str
    reading: str

    @property
    def paragraphs(self) -> list[str]:
        """The paragraphs of the reason itself."""
        return self.why.split("\n\n")

    @property
    def to_read_on(self) -> str:
        """The reading, in a sentence."""
        return f"To read on: {self.reading}."


def reason(exercise: Exercise) -> Reason | None:
    """The reason for an exercise; a new one may have none yet."""
    entry = _all().get(exercise.slug)
    return Reason(**{name: text.strip() for name, text in entry.items()}) if entry else None


@cache
def _all() -> dict[str, dict[str, str]]:
    return tomllib.loads(PATH.read_text(encoding="utf-8"))
