"""What was written down when all gates last held, and what has changed since."""

import json
import re
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
from kata.upkeep.answers import model_file
from kata.upkeep.faces import accepted, sheet_file
from kata.upkeep.fuzz import fuzz_file
from kata.upkeep.mutants import equivalents
from kata.upkeep.observing import observe_bugs

# What decides over a verdict or a complaint: all files of the rooms that judge, name, hunt, and
# check. They are whole rooms, so that no new module is forgotten; how a verdict is shown is not
# in them, and neither is how a class is graded.
ENGINE = (
    *("course", "diagnosis", "inside", "judging", "practice", "proofs", "upkeep"),
    *(f"grading/{name}.py" for name in ("alike", "flags", "steps")),
    *("handouts/examples.py", "verdict.py"),
)
KINDS = {".py", ".toml"}
ANSWERS, BELOW, VERSIONS, CATALOGUE, LEVEL_1, SHEET, PROOF, MUTANTS, LOSSES = PARTS = (
    *("answers", "below", "versions", "catalogue"),
    *("level 1", "sheet", "proof", "mutants", "losses"),
)
ENTRY = re.compile(r"^(?=\[\[bug\]\]$)", re.MULTILINE)
SLUG = re.compile(r'^slug = "(.*)"$', re.MULTILINE)
CLAIM = re.compile(r'^claim = ".*"$', re.MULTILINE)


def record(exercise: Exercise, text: str) -> None:
    """Write down what was judged."""
    path = file_of(exercise)
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")


@contextmanager
def relying(exercise: Exercise, some: Sequence[Bug]) -> Iterator[str]:
    """Judge these, and rely on that; gives what may be recorded if all gates hold."""
    text = recorded(exercise, some)
    with relied_on(exercise, text):
        yield text


def recorded(exercise: Exercise, some: Sequence[Bug] | None = None) -> str:
    """The file as it should be, with a line for each bug: these judged, or all of them.

    What the file says of the others is kept.
    """
    known: Mapping[str, Any] = written(exercise).get("entries", {}) if some is not None else {}
    kept = known.keys() - {bug.slug for bug in some or ()}
    today = digests(exercise)
    made = (
        _line(bug, known[bug.slug]) if bug.slug in kept else _entry(exercise, bug, today)
        for bug in bugs(exercise)
    )
    head = {
        "of": digest(exercise),
        "engine": engine(),
        "parts": parts(exercise),
        "claims": _claims(exercise),
    }
    lines = [f"{json.dumps(name)}: {json.dumps(each)}" for name, each in head.items()]
    entries = ",\n".join(f"  {text}" for text in made)
    return "{" + ",\n".join([*lines, f'"entries": {{\n{entries}\n}}']) + "}\n"


def _claims(exercise: Exercise) -> list[str]:
    return [claim.id for claim in suite(exercise) if claim.device != "cuda"]


def _line(bug: Bug, known: Sequence[str]) -> str:
    return f"{json.dumps(bug.slug)}: {json.dumps(known)}"


def _entry(exercise: Exercise, bug: Bug, today: Mapping[str, str]) -> str:
    """What a wrong answer fails, in all of its forms, after the digest of what that depends on."""
    claims = _claims(exercise)
    failing = [_failing(exercise, form, claims) for form in bug.forms]
    return _line(bug, [today[bug.slug], *failing])


def _failing(exercise: Exercise, form: Bug, claims: list[str]) -> str:
    """The claims and a mark; empty for a form that only a version of the solution can have."""
    with suppress(CatalogueError):
        target = target_of(exercise, wrong_answer(exercise, form))
        attempt = Attempt(exercise, target, remarks=False)
        judged = (check(claim, attempt) for claim in suite(exercise) if claim.id in claims)
        failing = [verdict for verdict in judged if not verdict.held]
        mark = mark_of(failing[0]) if failing else ""
        return f"{mask_of(claims, {verdict.name for verdict in failing})} {mark}"
    return ""


def records_are_true(exercise: Exercise, some: Sequence[Bug] | None = None) -> Iterator[str]:
    """What is recorded of every known wrong answer is what it does, down to the first evidence.

    Other gates rely on that. They rely on nothing that was recorded of another entry.
    """
    table, today = written(exercise), digests(exercise)
    value = table.get("entries", {})
    relied = [bug for bug in bugs(exercise) if value.get(bug.slug, [""])[0] == today[bug.slug]]
    if relied and table["claims"] != _claims(exercise):
        yield f"{file_of(exercise).name} has not these claims"
    for bug in relied if some is None else [each for each in some if each in relied]:
        entry = _entry(exercise, bug, today)
        if entry != _line(bug, value[bug.slug]):
            yield f"{file_of(exercise).name} does not say {entry}"


@dataclass(frozen=True)
class Work:
    """What of an exercise is to be judged.

    Attributes:
        entries: these of its wrong answers, and
        parts: all gates that look at one of these parts.
    """

    entries: tuple[Bug, ...]
    parts: frozenset[str]


def everything(exercise: Exercise) -> Work:
    """All of it, whatever was judged before."""
    return Work(bugs(exercise), frozenset(PARTS))


def work(exercise: Exercise) -> Work:
    """What has changed since all gates last held; everything if the machinery has."""
    return everything(exercise) if engine_changed(exercise) else changed(exercise)


def changed(exercise: Exercise) -> Work:
    """The entries and parts that are not as they were recorded."""
    table, today = written(exercise), digests(exercise)
    known = {slug: its for slug, (its, *_) in table.get("entries", {}).items()}
    entries = tuple(bug for bug in bugs(exercise) if known.get(bug.slug) != today[bug.slug])
    held, now = table.get("parts", {}), parts(exercise)
    return Work(entries, frozenset(text for text in PARTS if held.get(text) != now[text]))


def engine_changed(exercise: Exercise) -> bool:
    """Whether the machinery is another one than when all gates last held."""
    return written(exercise).get("engine") != engine()


def engine() -> str:
    """A digest of the machinery."""
    return _digest(ENGINE)


@cache
def _digest(names: tuple[str, ...]) -> str:
    paths = [CODE / "kata" / name for name in names]
    files = [each for path in paths for each in (path.rglob("*") if path.is_dir() else [path])]
    texts = [
        text
        for path in sorted(files)
        if path.suffix in KINDS
        for text in (path.name.encode(), path.read_bytes())
    ]
    return hashed(texts)


def parts(exercise: Exercise) -> dict[str, str]:
    """A digest of each part that gates look at."""
    own = [exercise.stub, *accepted(exercise), fuzz_file(exercise)]
    below = [path for each in needed(exercise) for path in accepted(each)]
    entry = repr(exercise).encode()
    return {
        ANSWERS: hashed([*surroundings(exercise), entry, *_texts(own)]),
        BELOW: hashed(_texts(below)),
        VERSIONS: hashed([repr(versions(exercise)).encode()]),
        CATALOGUE: hashed([content(exercise)]),
        SHEET: hashed(_texts([sheet_file(exercise)])),
        PROOF: hashed(_texts([model_file(exercise)])),
        MUTANTS: hashed([repr(equivalents(exercise)).encode()]),
        LOSSES: hashed([loss.digest(exercise).encode(), *_texts([loss.FILE])]),
        LEVEL_1: hashed([repr(bug).encode() for bug in bugs(exercise) if bug.level]),
    }


def _texts(paths: Iterable[Path]) -> list[bytes]:
    return [path.read_bytes() for path in paths if path.exists()]


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
