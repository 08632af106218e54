"""Names that say which is later: `hw_v2.zip` is later than `hw_v1.zip`, `old/` is earlier."""

import re
from collections.abc import Sequence

from kata.grading.collecting.names import LONGEST, fold, without_suffix

NUMBERED = re.compile(r"(?:(.*)[-_. ])?v(?:er(?:sion)?)?[-_. ]?(\d{1,4})", re.IGNORECASE)
WORD = re.compile(r"[^\W\d_]+")
OLDER = {"old", "older", "backup", "bak", "orig", "original", "draft", "wip", "broken", "before",
         "previous", "prev", "first", "unfinished"}  # fmt: skip


def orders(paths: Sequence[str]) -> list[tuple[int, int]]:
    """Of each path a word such as `old`, and the number of its version; the higher, the later.

    A number counts only if another path is the same but for its number.
    """
    rows: dict[str, set[int]] = {}
    for path in paths:
        rows.setdefault(_base(path), set()).add(_number(path))
    return [(_age(path), _number(path) if len(rows[_base(path)]) > 1 else 0) for path in paths]


def numbered(name: str) -> tuple[str, int]:
    """A name without the number of its version, and that; 0 if it has none."""
    match = NUMBERED.fullmatch(name[-LONGEST:])
    return (match[1] or "", int(match[2])) if match else (name, 0)


def _stems(path: str) -> list[str]:
    return [without_suffix(part[-LONGEST:]) for part in path.split("/")]


def _base(path: str) -> str:
    return "/".join(fold(numbered(stem)[0]) for stem in _stems(path))


def _number(path: str) -> int:
    return sum(numbered(stem)[1] for stem in _stems(path))


def _age(path: str) -> int:
    words = {each.casefold() for stem in _stems(path) for each in WORD.findall(stem)}
    return -bool(words & OLDER)
