"""What the evidence of a claim means by itself, if no known mistake explains it."""

import re
from collections.abc import Iterator
from typing import Any

from kata.diagnosis.evidence.causes import cause_of
from kata.diagnosis.evidence.relations import relations
from kata.diagnosis.observe import Finding
from kata.diagnosis.trace import is_error
from kata.verdict import Diagnosis, Fit

SHAPES = re.compile(r"^(?!.*parameter).*shape \(([\d, ]+)\), expected \(([\d, ]+)\)")


def kind(first: Finding, right: Finding | None = None) -> Diagnosis | None:
    """The kind of mistake that this claim shows: by its words, or beside what is right."""
    told = first.verdict.message.evidence if first.verdict.message else ""
    outcome: Any = first.sights[-1].outcome if first.sights else None
    if is_error(outcome) and not told.startswith(("expected ", "the message of ")):
        return None  # the words are those of the error
    line = told.split("\n", 1)[0]
    related = _related(first, right) if right else ()
    text = "\n".join([line, _of_shapes(line), *related])
    mistake = cause_of("kinds", text, re.MULTILINE)
    return Diagnosis(Fit.KIND, (mistake,), 1) if mistake else None


def _of_shapes(line: str) -> str:
    """What two shapes say that have the same sizes."""
    if not (match := SHAPES.search(line)):
        return ""
    got, expected = ([int(value) for value in re.findall(r"\d+", text)] for text in match.groups())
    if sorted(got) == sorted(expected):
        return "the same sizes in another order"
    without = [[size for size in sizes if size != 1] for sizes in (got, expected)]
    return "the same sizes but for ones" if without[0] == without[1] else ""


def _related(first: Finding, right: Finding) -> Iterator[str]:
    """How what the claim saw last relates to what is right."""
    place = len(first.sights) - 1  # where a claim fails, it ends
    if 0 <= place < len(right.sights):
        yield from relations(first.sights[place], right.sights[place])
