"""Tests that a notebook holds beside its exercises, each set as the text of a proof."""

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress

from kata.course.curriculum import Exercise, exercises
from kata.course.notebooks.cells import assembled
from kata.course.notebooks.notebook_file import Notebook, NotebookCell
from kata.course.notebooks.tests_among import names_of_tests, names_used, without
from kata.course.source import TOO_DEEP, UnusableError, contract

MOST_TESTS = 100  # that are looked at
EARLIER = re.compile(r"^from \.(?=ex\d\d)", re.MULTILINE)
UNREADABLE = (UnusableError, SyntaxError, *TOO_DEEP)


def proofs_in(found: Notebook, own: str) -> Iterator[tuple[str, bytes]]:
    """Exercises with the text of tests; `own` is the one that the notebook's name tells, or none.

    The exercise's own names are left to the implementations that the tests are tried on.
    """
    about: dict[str, list[str]] = {}
    for name in names_of_tests(found.cells)[:MOST_TESTS]:
        with suppress(*UNREADABLE):
            if slug := _meant(_text(found.cells, [name]), own):
                about.setdefault(slug, []).append(name)
    for slug, names in about.items():
        with suppress(*UNREADABLE):
            text = without(_text(found.cells, names), contract(exercises()[slug]).names)
            text = EARLIER.sub("from exercises.", f"from exercises.{slug} import *\n{text}")
            yield slug, text.encode("utf-8", "surrogatepass")


def _text(cells: Sequence[NotebookCell], names: Sequence[str]) -> str:
    any_exercise = next(iter(exercises().values()))  # for messages only
    return assembled(cells, any_exercise, names).text


def _meant(text: str, own: str) -> str:
    """The exercise of whose names a test uses most; empty if it uses none."""
    used = names_used(text)
    shares = {each.slug: _share(each, used) for each in exercises().values()}
    best = max(shares, key=lambda slug: (shares[slug], slug == own))
    return best if shares[best] else ""


def _share(exercise: Exercise, used: set[str]) -> int:
    return len(used & {*contract(exercise).names})
