"""Wrong answers of the catalogue, each judged claim by claim as far as a search asks for it."""

import ast
import re
from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from contextlib import suppress
from functools import cached_property, lru_cache
from itertools import takewhile

from kata.course.catalogue import Bug, CatalogueError, Version, changed, target_of
from kata.course.curriculum import Exercise
from kata.course.source import tree_of
from kata.diagnosis.observe import Finding, find, observe
from kata.diagnosis.records import Record, record_of
from kata.judging.attempt import Attempt
from kata.judging.judge import Claim, suite


class Suspect:
    """A wrong answer of the catalogue; its claims are checked when they are asked for.

    `findings` are those that are known already, `record` what is known of its verdicts. The
    reference is a suspect without a mistake.
    """

    def __init__(
        self,
        exercise: Exercise,
        text: str,
        *mistakes: Bug,
        findings: Mapping[str, Finding] | None = None,
        record: Record | None = None,
    ) -> None:
        self.text = text
        self.record = record
        self.mistakes = mistakes
        self._exercise = exercise
        self._before = _before(exercise, mistakes)
        self._attempt = Attempt(exercise, target_of(exercise, text), remarks=False)
        self._findings = dict(findings or {})

        if findings is None and any(bug.remembers for bug in mistakes):
            self._findings = observe(exercise, self._attempt.target).findings

    @property
    def slugs(self) -> set[str]:
        """The names of its mistakes, and of those that no claim can tell from them."""
        return {slug for bug in self.mistakes for slug in (bug.slug, *bug.twins)}

    def surely_holds(self, claim: Claim, calls: AbstractSet[str]) -> bool:
        """Whether a claim that calls these holds without being checked.

        If its verdicts are not recorded, the first claim that a mistake fails is known; and it
        changes nothing about functions that do not use what it is in.
        """
        if self.record and claim.id in self.record.tried:
            return self.record.holds(claim.id)
        return claim.name in self._before or bool(calls and not calls & self._concerned)

    def surely_fails(self, claim: Claim) -> bool:
        """Whether a claim fails without being checked."""
        return bool(self.record and claim.id in self.record.failing)

    @cached_property
    def _concerned(self) -> set[str]:
        """The functions and classes with the mistakes in them, and all that use those."""
        mine, right = tops(self.text), tops(changed(self._exercise))
        found = {name for name in right if mine.get(name) != right[name]}
        if mine.get("") != right.get(""):  # what all of them use
            return set(right)
        for _ in right:
            found |= {name for name, text in right.items() if uses(text, found)}
        return found

    def finding(self, claim: Claim) -> Finding:
        """What the suite sees of it."""
        if claim.id not in self._findings:
            self._findings[claim.id] = find(claim, self._attempt)
        return self._findings[claim.id]


@lru_cache(maxsize=512)
def tops(text: str) -> dict[str, str]:
    """The text of each top-level function and class; what stands between them under no name."""
    lines, found = text.splitlines(), {}
    for node in tree_of(text).body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            first, last = node.lineno - 1, node.end_lineno or 0
            found[node.name] = "\n".join(lines[first:last])
            lines[first:last] = [""] * (last - first)
    return {**found, "": "\n".join(line for line in lines if line)}


def uses(text: str, names: set[str]) -> bool:
    """Whether any of these names stands in a text."""
    return any(re.search(rf"\b{re.escape(name)}\b", text) for name in names)


def _before(exercise: Exercise, mistakes: tuple[Bug, ...]) -> set[str]:
    """The claims that are known to hold: those before the first one that a mistake fails."""
    first = {bug.claim for bug in mistakes}
    names = (claim.name for claim in suite(exercise))
    return set(takewhile(lambda name: name not in first, names))


class Suspects:
    """Those of one exercise; each is made once, for all the submissions that a judge reads."""

    def __init__(self, exercise: Exercise, known: "Mapping[str, Suspect] | None" = None) -> None:
        self.exercise = exercise
        self._kept: dict[str, Suspect | None] = dict(known or {})
        self._reference: Suspect | None = None

    @property
    def reference(self) -> Suspect:
        """The solution as it is."""
        if self._reference is None:
            self._reference = Suspect(self.exercise, changed(self.exercise))
        return self._reference

    def with_one(self, bug: Bug, version: Version | None = None) -> Iterator[Suspect]:
        """The solution with this mistake in each known form of it."""
        for number in range(len(bug.forms)):
            yield from self.in_form(bug, number, version)

    def in_form(self, bug: Bug, number: int, version: Version | None = None) -> Iterator[Suspect]:
        """The solution, or a version of it, with this mistake in one form, if they go together."""
        key = f"{bug.slug} {number or ''} {version.slug if version else ''}".strip()
        if key not in self._kept:
            self._kept[key] = next(self._made(bug, number, version), None)
        if suspect := self._kept[key]:
            yield suspect

    def _made(self, bug: Bug, number: int, version: Version | None) -> Iterator[Suspect]:
        form, record = bug.forms[number], None
        changes, neglected = ((version, form), version.mistakes) if version else ((form,), ())
        with suppress(CatalogueError):
            text = changed(self.exercise, *changes)
            if not version:
                record = record_of(self.exercise, bug, number)
            yield Suspect(self.exercise, text, form, *neglected, record=record)
