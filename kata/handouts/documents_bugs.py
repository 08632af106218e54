"""The documents' own bugs as data: the source of docs/documents.md and of the poster."""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kata.handouts.examples import TEXTS

WRITTEN, COMPUTED = TEXTS / "documents.toml", TEXTS / "documents_computed.toml"
Table = list[list[str]]  # the head first
Computed = Mapping[str, str | Table]


@dataclass(frozen=True)
class OwnBug:
    """One of the documents' twenty bugs; texts/documents.toml describes its fields.

    Attributes:
        computed: the values of the names in its texts, and its tables.
    """

    number: int
    title: str
    where: str
    exercise: str
    slug: str
    says: str
    true: str
    unnoticed: str
    discovery: str
    computed: Computed
    tables: Sequence[str] = ()
    figure: Sequence[str] = ()
    met: str = "{met}"
    after: str = ""

    @property
    def is_code(self) -> bool:
        """Whether it is met in an exercise."""
        return self.met == "{met}"

    def filled(self, text: str) -> str:
        """A text of this bug with the computed values for its names."""
        return text.strip().format_map(self.computed)


def own_bugs() -> list[OwnBug]:
    """Read all own bugs, in the order of the page."""
    computed = _read(COMPUTED)
    return [
        OwnBug(computed=computed.get(str(entry["number"]), {}), **entry) for entry in page()["bug"]
    ]


def page() -> dict[str, Any]:
    """The page as it is written: its head, its bugs, its tail."""
    return _read(WRITTEN)


def _read(path: Path) -> dict[str, Any]:
    return tomllib.loads(path.read_text(encoding="utf-8"))
