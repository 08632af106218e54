"""Two texts line by line, with lines beside each other that do the same under other names."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import zip_longest
from keyword import iskeyword

NAME = re.compile(r"[^\W\d]\w*")
REMARK = re.compile(r"\s*#.*")
MOST_LINES = 1000  # of a text


@dataclass(frozen=True)
class Row:
    """A line of each text, or none; `same` if they differ in names and spaces alone."""

    one: str
    other: str
    same: bool


def rows(one: str, other: str) -> list[Row]:
    """Both texts, aligned."""
    left, right = (text.splitlines()[:MOST_LINES] for text in (one, other))
    return list(_rows(left, right))


def _rows(left: list[str], right: list[str]) -> Iterator[Row]:
    matcher = SequenceMatcher(None, [*map(bare, left)], [*map(bare, right)], autojunk=False)
    for what, a, b, c, d in matcher.get_opcodes():
        for one, other in zip_longest(left[a:b], right[c:d], fillvalue=""):
            yield Row(one, other, what == "equal" and bool(bare(one)))


def bare(line: str) -> str:
    """A line without names, spaces and remarks."""
    code = REMARK.sub("", line)
    return "".join(NAME.sub(_word, code).split())


def _word(name: re.Match[str]) -> str:
    return f" {name[0]} " if iskeyword(name[0]) else "x"
