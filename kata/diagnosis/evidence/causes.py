"""Texts that have one cause in any code, and the cause: crashes.toml and kinds.toml."""

import re
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

from kata.verdict import Mistake


@cache
def causes(name: str) -> tuple[tuple[str, Mistake], ...]:
    """(pattern, cause), the more specific ones first."""
    path = Path(__file__).with_name(f"{name}.toml")
    table = tomllib.loads(path.read_text(encoding="utf-8"))
    return tuple((value["pattern"], _cause(value)) for value in table["cause"])


def cause_of(name: str, text: str, flags: re.RegexFlag = re.NOFLAG) -> Mistake | None:
    """The first cause whose pattern is found in this text."""
    mistakes = (cause for pattern, cause in causes(name) if re.search(pattern, text, flags))
    return next(mistakes, None)


def _cause(entry: dict[str, Any]) -> Mistake:
    texts = {name: entry[name] for name in ("slug", "title", "symptom", "why")}
    return Mistake(**texts, hints=tuple(entry["hints"]))
