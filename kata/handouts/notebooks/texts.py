"""The texts that only the notebook of an exercise has."""

import textwrap
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from kata.course.curriculum import Exercise

TEXTS = Path(__file__).parents[1] / "texts" / "notebooks.toml"


@dataclass(frozen=True)
class NotebookTexts:
    """The code of a cell that draws the learner's own result."""

    picture: str


def texts(exercise: Exercise) -> NotebookTexts | None:
    """The texts of the notebook of an exercise; None if nobody has written them."""
    entry = _table().get(exercise.slug)
    if entry is None:
        return None
    body = textwrap.indent(entry["picture"].strip("\n"), "    ")
    return NotebookTexts(f"def picture():\n{body}\n\n\ndraw(picture)")


@cache
def _table() -> dict[str, Any]:
    return tomllib.loads(TEXTS.read_text(encoding="utf-8"))
