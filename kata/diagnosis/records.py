"""Which claims each known wrong answer fails, as `kata check --record` has written it down.

A search has to run only what this leaves open. Of a wrong answer that has changed since, or whose
suite or solution has, nothing is known, and everything is run. Where a run has random numbers of
its own, one in twenty fails other claims than here: it is only told whom to look at first.
"""

import ast
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any
from zlib import crc32

from kata.course.catalogue import Bug, bugs, content, versions
from kata.course.curriculum import BUGS, CODE, ROOT, Exercise, exercises
from kata.course.source import statements
from kata.judging.case import run_seed
from kata.verdict import ClaimVerdict

FOLDER = BUGS / "records"
SHORT = 16  # characters of a digest
_instead: dict[str, str] = {}  # what is relied on in place of files, by exercise


@dataclass(frozen=True)
class Record:
    """The ids of all claims that a wrong answer was tried with, and of those that it fails.

    `mark` stands for the evidence of the first claim that it fails.
    """

    tried: frozenset[str]
    failing: frozenset[str]
    mark: str = ""

    def holds(self, claim: str) -> bool:
        """Whether this claim is known to hold."""
        return claim in self.tried and claim not in self.failing


def record_of(exercise: Exercise, bug: Bug, form: int) -> Record | None:
    """What is known of a bug in one of its forms."""
    return None if run_seed() else usually(exercise, bug, form)


def usually(exercise: Exercise, bug: Bug, form: int) -> Record | None:
    """What it does with the numbers of learners: with others nearly always the same."""
    return _records(exercise).get((bug.slug, form))


@cache
def _records(exercise: Exercise) -> Mapping[tuple[str, int], Record]:
    table = written(exercise)
    if not table:
        return {}
    tried, changed = frozenset(table["claims"]), _changed(exercise, table)
    return {
        (slug, form): Record(tried, frozenset(_chosen(table["claims"], mask)), mark)
        for slug, (_, *forms) in table["entries"].items()
        for form, (mask, _, mark) in enumerate(value.partition(" ") for value in forms)
        if mask and slug not in changed
    }


def _changed(exercise: Exercise, table: Mapping[str, Any]) -> set[str]:
    """The slugs whose records are of something else; none is looked at if no file has changed."""
    if table["of"] == digest(exercise):
        return set()
    today = digests(exercise)
    return {slug for slug, (its, *_) in table["entries"].items() if its != today.get(slug)}


def written(exercise: Exercise) -> dict[str, Any]:
    """The table of an exercise; empty if there is none."""
    path = file_of(exercise)
    if exercise.slug not in _instead and not path.exists():
        return {}
    text = _instead.get(exercise.slug) or path.read_text(encoding="utf-8")
    table: dict[str, Any] = json.loads(text)
    return table if "entries" in table else {}


@contextmanager
def relied_on(exercise: Exercise, text: str) -> Iterator[None]:
    """For this long take what is known of an exercise from a text in place of its file."""
    _instead[exercise.slug] = text
    _records.cache_clear()
    try:
        yield
    finally:
        del _instead[exercise.slug]
        _records.cache_clear()


def file_of(exercise: Exercise) -> Path:
    """Where the records of an exercise are."""
    return FOLDER / f"{exercise.slug}.json"


def digest(exercise: Exercise) -> str:
    """Of all that the records of an exercise depend on, but the machinery."""
    files = [exercise.suite, exercise.solution, *(each.solution for each in needed(exercise))]
    return hashed([content(exercise), *(file.read_bytes() for file in files)])


def digests(exercise: Exercise) -> dict[str, str]:
    """Of what each entry's record depends on: its text, and what is the same for all of them.

    An entry with other forms depends on the versions, too: a form may be a change of one.
    """
    around = sha256(b"\0".join([*surroundings(exercise), b""]))
    forms = repr(versions(exercise)).encode()
    found = {}
    for bug in bugs(exercise):
        whole = around.copy()
        whole.update(b"\0".join([repr(bug).encode(), forms if bug.also else b""]))
        found[bug.slug] = whole.hexdigest()[:SHORT]
    return found


def surroundings(exercise: Exercise) -> list[bytes]:
    """The files that the verdict on any answer depends on: suite, its imports, solutions."""
    solutions = [exercise.solution, *(each.solution for each in needed(exercise))]
    files = [*_with_imports(exercise.suite, {}), *solutions]
    return [file.read_bytes() for file in files if file.exists()]


def needed(exercise: Exercise) -> list[Exercise]:
    """All exercises that it needs, and all that these need."""
    direct = [exercises()[slug] for slug in exercise.needs if slug in exercises()]
    return list(dict.fromkeys(each for need in direct for each in (*needed(need), need)))


def _with_imports(path: Path, found: dict[Path, None]) -> dict[Path, None]:
    """A file and the files of the course that it imports, and so on; the machinery left out."""
    if path.exists() and path not in found:
        found[path] = None
        for name in _imported_by(path.read_bytes()):
            for folder in (CODE, ROOT, path.parent):
                _with_imports(folder.joinpath(*name.split(".")).with_suffix(".py"), found)
    return found


@cache
def _imported_by(text: bytes) -> tuple[str, ...]:
    return tuple(name for node in statements(ast.parse(text)) for name in _imported(node))


def _imported(node: ast.AST) -> list[str]:
    """The modules that a statement may import, but those of `kata`: they are the machinery."""
    names: list[str] = []
    if isinstance(node, ast.Import):
        names = [alias.name for alias in node.names]
    elif isinstance(node, ast.ImportFrom):
        module = node.module or ""
        names = [module, *(f"{module}.{alias.name}".strip(".") for alias in node.names)]
    return [name for name in names if name and name.split(".")[0] != "kata"]


def hashed(parts: list[bytes]) -> str:
    """A few characters that stand for all of these."""
    return sha256(b"\0".join(parts)).hexdigest()[:SHORT]


def mark_of(verdict: ClaimVerdict) -> str:
    """A few characters that stand for the evidence of a claim, numbers and all."""
    evidence = verdict.message.evidence if verdict.message else ""
    return f"{crc32(evidence.encode('utf-8', 'replace')):08x}"


def mask_of(claims: list[str], failing: set[str]) -> str:
    """Some of these claims as a number with a bit for each."""
    return f"{sum(1 << at for at, claim in enumerate(claims) if claim in failing):x}"


def _chosen(claims: list[str], mask: str) -> list[str]:
    return [claim for at, claim in enumerate(claims) if int(mask, 16) >> at & 1]
