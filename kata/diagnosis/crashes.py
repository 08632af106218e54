"""Error messages that have one cause in any code: crashes.toml."""

import re
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

from kata.diagnosis.observe import Finding
from kata.diagnosis.trace import is_error
from kata.verdict import Diagnosis, Fit, Mistake


@cache
def known() -> tuple[tuple[str, Mistake], ...]:
    """(pattern, cause), the more specific ones first."""
    table = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
    return tuple((each["pattern"], _cause(each)) for each in table["crash"])


def _cause(entry: dict[str, Any]) -> Mistake:
    texts = {name: entry[name] for name in ("slug", "title", "symptom", "why")}
    return Mistake(**texts, hints=tuple(entry["hints"]))


def crash(first: Finding) -> Diagnosis | None:
    """The cause of the error that made this claim fail, if its text has only one."""
    outcome: Any = first.sights[-1].outcome if first.sights else None
    if not is_error(outcome):
        return None
    found = [cause for pattern, cause in known() if re.search(pattern, outcome[2])]
    return Diagnosis(Fit.CRASH, (found[0],), 1) if found else None
