"""The code of the project as trees, each parsed once in a process, and words that talk down."""

import ast
import re
from functools import cache
from pathlib import Path

FORBIDDEN = re.compile(
    r"\b(just|simply|obviously|trivially|of course|easy|easily)\b", re.IGNORECASE
)


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))
