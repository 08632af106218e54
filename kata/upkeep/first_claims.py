"""Which claim each known wrong answer fails first: `kata check --write-claims`.

A suite whose claims change places has other first failures, which stand in its catalogue.
"""

import re
from collections.abc import Iterator

from kata.course.catalogue import bugs, content
from kata.course.curriculum import Exercise
from kata.upkeep.observing import observe_bugs

ENTRY = re.compile(r"^(?=\[\[bug\]\]$)", re.MULTILINE)
SLUG = re.compile(r'^slug = "(.*)"$', re.MULTILINE)
CLAIM = re.compile(r'^claim = ".*"$', re.MULTILINE)


def write(exercise: Exercise) -> Iterator[str]:
    """Write them into the catalogue; gives a line if any of them was another one."""
    first = {bug.slug: seen.first or bug.claim for bug, seen in observe_bugs(exercise)}
    changed = [bug for bug in bugs(exercise) if first.get(bug.slug, bug.claim) != bug.claim]
    if changed:
        text = content(exercise).decode()
        exercise.bugs.write_text(with_claims(text, first), encoding="utf-8")
        yield f"{exercise.bugs.name}: {len(changed)} of {len(bugs(exercise))} have another claim"


def with_claims(text: str, first: dict[str, str]) -> str:
    """The text of a catalogue in which each entry names this claim."""
    head, *entries = ENTRY.split(text)
    return "".join([head, *(_with_claim(entry, first) for entry in entries)])


def _with_claim(entry: str, first: dict[str, str]) -> str:
    slug = SLUG.search(entry)
    claim = slug and first.get(slug[1])
    return CLAIM.sub(f'claim = "{claim}"', entry, count=1) if claim else entry
