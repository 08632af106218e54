"""Suspects: wrong answers of the catalogue, judged claim by claim, and their records."""

import ast
import json
import re
from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from hashlib import sha256
from itertools import takewhile
from pathlib import Path
from typing import Any
from zlib import crc32

from kata.course.catalogue import (
    Bug,
    CatalogueError,
    Version,
    bugs,
    changed,
    content,
    target_of,
    versions,
)
from kata.course.curriculum import BUGS, CODE, ROOT, Exercise, exercises
from kata.course.source import statements, tree_of
from kata.diagnosis.observe import Finding, find, observe
from kata.judging.attempt import Attempt
from kata.judging.case import run_seed
from kata.judging.judge import Claim, suite
from kata.verdict import ClaimVerdict

FOLDER = BUGS / "records"
SHORT = 16  # characters of a digest


@dataclass(frozen=True)
class Record:
    """The ids of the claims that a wrong answer was tried with, and of those that it fails.

    `mark` stands for the evidence of the first claim that it fails.
    """

    tried: frozenset[str]
    failing: frozenset[str]
    mark: str = ""

    def holds(self, claim: str) -> bool:
        """Return True if the record says that this claim holds."""
        return claim in self.tried and claim not in self.failing


class Suspect:
    """A wrong answer of the catalogue; its claims are checked when they are asked for.

    `findings` are those of earlier checks, and `record` holds verdicts. The reference is a suspect
    without a mistake.
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
        """Return True if it is certain without a check that a claim with these calls holds.

        Without a record, the catalogue tells the first claim that a mistake fails; and a mistake
        changes nothing about functions that do not use the one that it is in.
        """
        if self.record and claim.id in self.record.tried:
            return self.record.holds(claim.id)
        return claim.name in self._before or bool(calls and not calls & self._concerned)

    def surely_fails(self, claim: Claim) -> bool:
        """Return True if it is certain without a check that a claim fails."""
        return bool(self.record and claim.id in self.record.failing)

    @cached_property
    def _concerned(self) -> set[str]:
        """The functions and classes with the mistakes in them, and all that use those."""
        mine, right = tops(self.text), tops(changed(self._exercise))
        if mine.get("") != right.get(""):  # the code that all of them use
            return set(right)
        names = {name for name in right if mine.get(name) != right[name]}
        for _ in right:
            names |= {name for name, text in right.items() if uses(text, names)}
        return names

    def finding(self, claim: Claim) -> Finding:
        """Return what the suite sees of it."""
        if claim.id not in self._findings:
            self._findings[claim.id] = find(claim, self._attempt)
        return self._findings[claim.id]


@lru_cache(maxsize=512)
def tops(text: str) -> dict[str, str]:
    """Return the texts of top-level functions and classes by name; the rest has an empty name."""
    lines, definitions = text.splitlines(), {}
    for node in tree_of(text).body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            first, last = node.lineno - 1, node.end_lineno or 0
            definitions[node.name] = "\n".join(lines[first:last])
            lines[first:last] = [""] * (last - first)
    return {**definitions, "": "\n".join(line for line in lines if line)}


def uses(text: str, names: set[str]) -> bool:
    """Return True if any of these names stands in a text."""
    return any(re.search(rf"\b{re.escape(name)}\b", text) for name in names)


def _before(exercise: Exercise, mistakes: tuple[Bug, ...]) -> set[str]:
    """Return the claims before the first one that a mistake fails: these hold."""
    first = {bug.claim for bug in mistakes}
    names = (claim.name for claim in suite(exercise))
    return set(takewhile(lambda name: name not in first, names))


class Suspects:
    """The suspects of an exercise, made once for all the submissions that a judge reads."""

    def __init__(self, exercise: Exercise, cache: Mapping[str, Suspect] | None = None) -> None:
        self.exercise = exercise
        self._cache: dict[str, Suspect | None] = dict(cache or {})
        self._reference: Suspect | None = None

    @property
    def reference(self) -> Suspect:
        """The solution as it is."""
        if self._reference is None:
            self._reference = Suspect(self.exercise, changed(self.exercise))
        return self._reference

    def with_one(self, bug: Bug, version: Version | None = None) -> Iterator[Suspect]:
        """Yield the solution with this mistake in all forms of the catalogue."""
        for number in range(len(bug.forms)):
            yield from self.in_form(bug, number, version)

    def in_form(self, bug: Bug, number: int, version: Version | None = None) -> Iterator[Suspect]:
        """Yield the solution, or a version of it, with a form of this mistake, if that fits."""
        key = f"{bug.slug} {number or ''} {version.slug if version else ''}".strip()
        if key not in self._cache:
            self._cache[key] = next(self._make(bug, number, version), None)
        if suspect := self._cache[key]:
            yield suspect

    def _make(self, bug: Bug, number: int, version: Version | None) -> Iterator[Suspect]:
        form, record = bug.forms[number], None
        changes, neglected = ((version, form), version.mistakes) if version else ((form,), ())
        with suppress(CatalogueError):
            text = changed(self.exercise, *changes)
            if not version:
                record = record_of(self.exercise, bug, number)
            yield Suspect(self.exercise, text, form, *neglected, record=record)


# -- the records of which claims a wrong answer fails


_instead: dict[str, str] = {}  # texts in place of files, by exercise


def record_of(exercise: Exercise, bug: Bug, form: int) -> Record | None:
    """Return the record of a bug in one of its forms, if it holds for the numbers of this run."""
    return None if run_seed() else usually(exercise, bug, form)


def usually(exercise: Exercise, bug: Bug, form: int) -> Record | None:
    """Return the record with the numbers of learners; with others it is nearly always the same."""
    return _records(exercise).get((bug.slug, form))


@cache
def _records(exercise: Exercise) -> Mapping[tuple[str, int], Record]:
    table = written(exercise)
    if not table:
        return {}
    tried, changed = frozenset(table["claims"]), _changed(exercise, table)
    return {
        (slug, form): Record(tried, frozenset(_claims_in(mask, table["claims"])), mark)
        for slug, (_, *forms) in table["entries"].items()
        for form, (mask, _, mark) in enumerate(value.partition(" ") for value in forms)
        if mask and slug not in changed
    }


def _changed(exercise: Exercise, table: Mapping[str, Any]) -> set[str]:
    """Return the bugs that have changed since their record; no text is read if no file has."""
    if table["of"] == digest(exercise):
        return set()
    today = digests(exercise)
    return {slug for slug, (recorded, *_) in table["entries"].items()
            if recorded != today.get(slug)}  # fmt: skip


def written(exercise: Exercise) -> dict[str, Any]:
    """Return the table of records of an exercise; empty if there is none."""
    path = file_of(exercise)
    if exercise.slug not in _instead and not path.exists():
        return {}
    text = _instead.get(exercise.slug) or path.read_text(encoding="utf-8")
    table: dict[str, Any] = json.loads(text)
    return table if "entries" in table else {}


@contextmanager
def relied_on(exercise: Exercise, text: str) -> Iterator[None]:
    """Take the records of an exercise from a text in place of its file, for the time being."""
    _instead[exercise.slug] = text
    _records.cache_clear()
    try:
        yield
    finally:
        del _instead[exercise.slug]
        _records.cache_clear()


def file_of(exercise: Exercise) -> Path:
    """Return the file with the records of an exercise."""
    return FOLDER / f"{exercise.slug}.json"


def digest(exercise: Exercise) -> str:
    """Hash all that the records of an exercise depend on, but the machinery."""
    files = [exercise.suite, exercise.solution, *(other.solution for other in needed(exercise))]
    return hashed([content(exercise), *(file.read_bytes() for file in files)])


def digests(exercise: Exercise) -> dict[str, str]:
    """Hash what the records of entries depend on: their texts, and what all of them share.

    An entry with other forms depends on the versions, too: a form may be a change of a version.
    """
    shared = sha256(b"\0".join([*surroundings(exercise), b""]))
    forms = repr(versions(exercise)).encode()
    by_slug = {}
    for bug in bugs(exercise):
        whole = shared.copy()
        whole.update(b"\0".join([repr(bug).encode(), forms if bug.also else b""]))
        by_slug[bug.slug] = whole.hexdigest()[:SHORT]
    return by_slug


def surroundings(exercise: Exercise) -> list[bytes]:
    """Return the files that every verdict depends on: suite, its imports, solutions."""
    solutions = [exercise.solution, *(other.solution for other in needed(exercise))]
    files = [*_with_imports(exercise.suite, {}), *solutions]
    return [file.read_bytes() for file in files if file.exists()]


def needed(exercise: Exercise) -> list[Exercise]:
    """Return all exercises that it needs, and all that these need."""
    direct = [exercises()[slug] for slug in exercise.needs if slug in exercises()]
    return list(dict.fromkeys(other for need in direct for other in (*needed(need), need)))


def _with_imports(path: Path, files: dict[Path, None]) -> dict[Path, None]:
    """Collect a file and the files of the course that it imports, and so on."""
    if path.exists() and path not in files:
        files[path] = None
        for name in _imported_by(path.read_bytes()):
            for folder in (CODE, ROOT, path.parent):
                _with_imports(folder.joinpath(*name.split(".")).with_suffix(".py"), files)
    return files


@cache
def _imported_by(text: bytes) -> tuple[str, ...]:
    return tuple(name for node in statements(ast.parse(text)) for name in _imported(node))


def _imported(node: ast.AST) -> list[str]:
    """List the modules that a statement may import, but those of `kata`: the machinery."""
    names: list[str] = []
    if isinstance(node, ast.Import):
        names = [alias.name for alias in node.names]
    elif isinstance(node, ast.ImportFrom):
        module = node.module or ""
        names = [module, *(f"{module}.{alias.name}".strip(".") for alias in node.names)]
    return [name for name in names if name and name.split(".")[0] != "kata"]


def hashed(parts: list[bytes]) -> str:
    """Return a few characters that stand for all of these."""
    return sha256(b"\0".join(parts)).hexdigest()[:SHORT]


def mark_of(verdict: ClaimVerdict) -> str:
    """Return a few characters that stand for the evidence of a claim, numbers and all."""
    evidence = verdict.message.evidence if verdict.message else ""
    return f"{crc32(evidence.encode('utf-8', 'replace')):08x}"


def mask_of(claims: list[str], failing: set[str]) -> str:
    """Write the failing ones of these claims as a hexadecimal number with one bit per claim."""
    return f"{sum(1 << at for at, claim in enumerate(claims) if claim in failing):x}"


def _claims_in(mask: str, claims: list[str]) -> list[str]:
    return [claim for at, claim in enumerate(claims) if int(mask, 16) >> at & 1]
