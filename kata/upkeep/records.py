"""The record of an exercise, made when all its gates held, and what has changed since."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from kata.course.catalogue import (
    Bug,
    CatalogueError,
    bugs,
    content,
    target_of,
    versions,
    wrong_answer,
)
from kata.course.curriculum import CODE, Exercise
from kata.diagnosis.suspects import (
    digest,
    digests,
    file_of,
    hashed,
    mark_of,
    mask_of,
    needed,
    relied_on,
    surroundings,
    written,
)
from kata.judging.attempt import Attempt
from kata.judging.judge import check, suite
from kata.practice import loss
from kata.upkeep.faces import DRAWS, MODEL_PROOF, SHEET, accepted
from kata.upkeep.mutants import equivalents

# All files of the rooms that judge, name, hunt, and check: they decide over verdicts and
# complaints. They are whole rooms, so that no new module is forgotten. The rooms that show a
# verdict, or grade a class, are not among them.
ENGINE = (
    *("course", "diagnosis", "inside", "judging", "practice", "proofs", "upkeep"),
    *(f"grading/{name}.py" for name in ("alike", "flags", "steps")),
    *("handouts/examples.py", "verdict.py"),
)
KINDS = {".py", ".toml"}
ANSWERS, BELOW, VERSIONS, CATALOGUE, LEVEL_1, SHEET_TEXT, PROOF, MUTANTS, LOSSES = PARTS = (
    *("answers", "below", "versions", "catalogue"),
    *("level 1", "sheet", "proof", "mutants", "losses"),
)


@contextmanager
def relying(exercise: Exercise, selection: Sequence[Bug]) -> Iterator[str]:
    """Judge these wrong answers, and rely on that; yield what to record if all gates hold."""
    text = recorded(exercise, selection)
    with relied_on(exercise, text):
        yield text


def record(exercise: Exercise, text: str) -> None:
    """Write the record of an exercise."""
    path = file_of(exercise)
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")


def recorded(exercise: Exercise, selection: Sequence[Bug] | None = None) -> str:
    """Return the record as it should be, with a line for every bug: these judged, or all of them.

    The lines of the others stay as they are.
    """
    entries: Mapping[str, Any] = {} if selection is None else written(exercise).get("entries", {})
    unchanged = entries.keys() - {bug.slug for bug in selection or ()}
    today = digests(exercise)
    lines = [
        _line(bug, entries[bug.slug]) if bug.slug in unchanged else _entry(exercise, bug, today)
        for bug in bugs(exercise)
    ]
    head = {
        "of": digest(exercise),
        "engine": engine(),
        "parts": parts(exercise),
        "claims": _claims(exercise),
    }
    fields = [f"{json.dumps(name)}: {json.dumps(value)}" for name, value in head.items()]
    rows = ",\n".join(f"  {line}" for line in lines)
    return "{" + ",\n".join([*fields, f'"entries": {{\n{rows}\n}}']) + "}\n"


def _claims(exercise: Exercise) -> list[str]:
    return [claim.id for claim in suite(exercise) if claim.device != "cuda"]


def _line(bug: Bug, entry: Sequence[str]) -> str:
    return f"{json.dumps(bug.slug)}: {json.dumps(entry)}"


def _entry(exercise: Exercise, bug: Bug, today: Mapping[str, str]) -> str:
    """The digest of what a wrong answer depends on, and what it fails in all of its forms."""
    claims = _claims(exercise)
    failing = [_failing(exercise, form, claims) for form in bug.forms]
    return _line(bug, [today[bug.slug], *failing])


def _failing(exercise: Exercise, form: Bug, claims: list[str]) -> str:
    """The claims and a mark; empty for a form that only a version of the solution can have."""
    with suppress(CatalogueError):
        target = target_of(exercise, wrong_answer(exercise, form))
        attempt = Attempt(exercise, target, remarks=False)
        verdicts = (check(claim, attempt) for claim in suite(exercise) if claim.id in claims)
        failing = [verdict for verdict in verdicts if not verdict.held]
        mark = mark_of(failing[0]) if failing else ""
        return f"{mask_of(claims, {verdict.name for verdict in failing})} {mark}"
    return ""


def records_are_true(exercise: Exercise, selection: Sequence[Bug] | None = None) -> Iterator[str]:
    """Each wrong answer does what is recorded of it, down to the first evidence.

    Other gates rely on that. They rely on nothing that was recorded of another entry.
    """
    table, today = written(exercise), digests(exercise)
    entries = table.get("entries", {})
    relied = [bug for bug in bugs(exercise) if entries.get(bug.slug, [""])[0] == today[bug.slug]]
    if relied and table["claims"] != _claims(exercise):
        yield f"{file_of(exercise).name} has not these claims"
    for bug in relied if selection is None else [bug for bug in selection if bug in relied]:
        entry = _entry(exercise, bug, today)
        if entry != _line(bug, entries[bug.slug]):
            yield f"{file_of(exercise).name} does not say {entry}"


@dataclass(frozen=True)
class Work:
    """The part of an exercise that is to be judged.

    Attributes:
        entries: these of its wrong answers, and
        parts: all gates that look at one of these parts.
    """

    entries: tuple[Bug, ...]
    parts: frozenset[str]


def work(exercise: Exercise) -> Work:
    """Return what has changed since all gates last held; everything if the machinery has."""
    return everything(exercise) if engine_changed(exercise) else changed(exercise)


def everything(exercise: Exercise) -> Work:
    """Return all of an exercise, even what was judged before."""
    return Work(bugs(exercise), frozenset(PARTS))


def changed(exercise: Exercise) -> Work:
    """Return the entries and parts that are not as they were recorded."""
    table, today = written(exercise), digests(exercise)
    digests_then = {slug: entry[0] for slug, entry in table.get("entries", {}).items()}
    stale = tuple(bug for bug in bugs(exercise) if digests_then.get(bug.slug) != today[bug.slug])
    before, now = table.get("parts", {}), parts(exercise)
    return Work(stale, frozenset(part for part in PARTS if before.get(part) != now[part]))


def engine_changed(exercise: Exercise) -> bool:
    """Return whether the machinery is another one than when all gates last held."""
    return written(exercise).get("engine") != engine()


def engine() -> str:
    """Return a digest of the machinery."""
    return _digest(ENGINE)


@cache
def _digest(names: tuple[str, ...]) -> str:
    paths = [CODE / "kata" / name for name in names]
    files = [file for path in paths for file in (path.rglob("*") if path.is_dir() else [path])]
    texts = [
        text
        for path in sorted(files)
        if path.suffix in KINDS
        for text in (path.name.encode(), path.read_bytes())
    ]
    return hashed(texts)


def parts(exercise: Exercise) -> dict[str, str]:
    """Return a digest of every part that gates look at."""
    own = [exercise.stub, *accepted(exercise), DRAWS.of(exercise)]
    below = [path for earlier in needed(exercise) for path in accepted(earlier)]
    entry = repr(exercise).encode()
    return {
        ANSWERS: hashed([*surroundings(exercise), entry, *_texts(own)]),
        BELOW: hashed(_texts(below)),
        VERSIONS: hashed([repr(versions(exercise)).encode()]),
        CATALOGUE: hashed([content(exercise)]),
        SHEET_TEXT: hashed(_texts([SHEET.of(exercise)])),
        PROOF: hashed(_texts([MODEL_PROOF.of(exercise)])),
        MUTANTS: hashed([repr(equivalents(exercise)).encode()]),
        LOSSES: hashed([loss.digest(exercise).encode(), *_texts([loss.FILE])]),
        LEVEL_1: hashed([repr(bug).encode() for bug in bugs(exercise) if bug.level]),
    }


def _texts(paths: Iterable[Path]) -> list[bytes]:
    return [path.read_bytes() for path in paths if path.exists()]
