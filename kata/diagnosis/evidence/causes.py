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
    return tuple((each["pattern"], _cause(each)) for each in table["cause"])


def cause_of(error: str) -> str:
    """The name of the cause of an error with this text, if it has only one; else nothing."""
    found = (cause.slug for pattern, cause in causes("crashes") if re.search(pattern, error))
    return next(found, "")


def _cause(entry: dict[str, Any]) -> Mistake:
    texts = {name: entry[name] for name in ("slug", "title", "symptom", "why")}
    return Mistake(**texts, hints=tuple(entry["hints"]))
