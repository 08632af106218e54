"""The wrong lines of a mistake beside the right ones; for instructors, since it shows solutions."""

import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher

from kata.course.catalogue import Bug, changed
from kata.course.curriculum import Exercise


@dataclass(frozen=True)
class Change:
    """Lines that follow one another, wrong and right; one of the two may be empty."""

    wrong: str
    right: str

    @property
    def lines(self) -> int:
        """The number of lines to read."""
        return len(self.wrong.splitlines()) + len(self.right.splitlines())


def changes(exercise: Exercise, bug: Bug) -> tuple[Change, ...]:
    """Every place in which the wrong answer differs from the reference."""
    right, wrong = changed(exercise).splitlines(), changed(exercise, bug).splitlines()
    made = (_change(wrong[at], right[instead]) for instead, at in differing(right, wrong))
    return tuple(change for change in made if change.lines)


def differing(right: list[str], wrong: list[str]) -> Iterator[tuple[slice, slice]]:
    """The lines of each place, right and wrong."""
    matcher = SequenceMatcher(None, right, wrong, autojunk=False)
    for what, a, b, c, d in matcher.get_opcodes():
        if what != "equal":
            yield slice(a, b), slice(c, d)


def _change(wrong: list[str], right: list[str]) -> Change:
    """A change without the indentation that its lines share, and without remarks about shapes."""
    lines = [re.sub(r"\s+# .*", "", line) for line in (*wrong, *right)]
    bare = textwrap.dedent("\n".join(lines)).split("\n")
    first, second = bare[: len(wrong)], bare[len(wrong) :]
    return Change("\n".join(filter(str.strip, first)), "\n".join(filter(str.strip, second)))
