"""The documents' own bugs as data, for poster and museum; docs/documents.md tells them."""

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass

from kata.handouts.examples import TEXTS


@dataclass(frozen=True)
class OwnBug:
    """One of the documents' twenty bugs, with the wrong answer that shows it."""

    number: int
    title: str
    exercise: str
    slug: str
    # The head first.
    table: Sequence[Sequence[str]] = ()


def own_bugs() -> list[OwnBug]:
    """Read all own bugs, in the order of the page."""
    text = (TEXTS / "documents.toml").read_text(encoding="utf-8")
    return [OwnBug(**entry) for entry in tomllib.loads(text)["bug"]]
