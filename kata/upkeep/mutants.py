"""Mutation testing of the solutions: Cosmic Ray makes the mutants, the graded suites judge them.

Each mutant is judged in a forked process, so that one that loops for ever or crashes costs no more
than its time limit. This needs a system that can fork.
"""

import difflib
import multiprocessing
import os
import tomllib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache

from kata.course.catalogue import target_of
from kata.course.curriculum import ROOT, Exercise
from kata.course.target import reference
from kata.judging.attempt import Attempt
from kata.judging.judge import check, judge, suite
from kata.verdict import State

EQUIVALENT = ROOT / "tests" / "mutation" / "equivalent.toml"
TIME_LIMIT = 20  # seconds a mutant
ENOUGH = 0.97
MOST_EQUIVALENT = 0.05


@dataclass(frozen=True)
class Mutant:
    """The solution with one small automatic change."""

    exercise: Exercise
    operator: str
    text: str
    before: str
    after: str


@dataclass(frozen=True)
class Score:
    """The numbers of an exercise's mutants, and those that survived."""

    exercise: Exercise
    total: int
    equivalent: int
    survivors: tuple[Mutant, ...]

    @property
    def killed(self) -> int:
        """The number of mutants that the suite caught."""
        return self.total - self.equivalent - len(self.survivors)


@cache
def equivalents(exercise: Exercise) -> dict[tuple[str, str], str]:
    """Return the changes (line before, line after) that make no difference, with the reasons."""
    table = tomllib.loads(EQUIVALENT.read_text(encoding="utf-8")) if EQUIVALENT.exists() else {}
    entries = table.get(exercise.slug, [])
    return {(entry["before"], entry["after"]): entry["reason"] for entry in entries}


def equivalents_are_mutants(exercise: Exercise) -> Iterator[str]:
    """Each change that is listed as making no difference is that of a mutant, with its reason."""
    reasons = equivalents(exercise)
    missing = set(reasons)
    iterator = mutants(exercise)
    while missing and (mutant := next(iterator, None)):
        missing.discard((mutant.before, mutant.after))
    for (before, after), reason in reasons.items():
        if (before, after) in missing:
            yield f"no mutant changes {before!r} to {after!r}"
        if not reason:
            yield f"there is no reason why {before!r} may become {after!r}"


def mutants(exercise: Exercise) -> Iterator[Mutant]:
    """Yield every different text that Cosmic Ray's operators can make of the solution."""
    from cosmic_ray.mutating import mutate_code  # type: ignore[import-untyped]  # untyped upstream
    from cosmic_ray.plugins import (  # type: ignore[import-untyped]  # untyped upstream
        get_operator,
        operator_names,
    )

    source = exercise.solution.read_text(encoding="utf-8")
    seen = {source}
    for name in operator_names():
        if get_operator(name).arguments():
            continue  # it needs to know which variables to exchange
        occurrence = 0
        while (text := mutate_code(source, get_operator(name)(), occurrence)) is not None:
            occurrence += 1
            if text not in seen:
                seen.add(text)
                yield Mutant(exercise, name.split("/")[-1], text, *_changed(source, text))


def _changed(source: str, text: str) -> tuple[str, str]:
    """The changed lines before and after, without indentation."""
    before, after = source.splitlines(), text.splitlines()
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    for kind, a, b, c, d in matcher.get_opcodes():
        if kind != "equal":
            return (
                "\n".join(map(str.strip, before[a:b])),
                "\n".join(map(str.strip, after[c:d])),
            )
    return "", ""


def score(exercise: Exercise) -> Score:
    """Judge every mutant."""
    judge(exercise, reference())  # import once all that its claims import; every fork inherits it
    source = exercise.solution.read_text(encoding="utf-8")
    if not _survives(Mutant(exercise, "none", source, "", "")):
        raise RuntimeError(f"{exercise.slug}: the solution itself does not survive its suite")
    every = list(mutants(exercise))
    reasons = equivalents(exercise)
    judged = [mutant for mutant in every if (mutant.before, mutant.after) not in reasons]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        alive = list(pool.map(_survives, judged))
    survivors = tuple(mutant for mutant, lives in zip(judged, alive, strict=True) if lives)
    return Score(exercise, len(every), len(every) - len(judged), survivors)


def _survives(mutant: Mutant) -> bool:
    process = multiprocessing.get_context("fork").Process(target=_judge, args=(mutant,))
    process.start()
    process.join(TIME_LIMIT)
    if process.is_alive():
        process.kill()
        process.join()
    return process.exitcode == 0


def _judge(mutant: Mutant) -> None:
    """Exit with 0 if the mutant passes the suite."""
    status = 1
    try:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 1)
        os.dup2(nowhere, 2)
        attempt = Attempt(mutant.exercise, target_of(mutant.exercise, mutant.text))
        claims = (check(claim, attempt) for claim in suite(mutant.exercise))
        status = int(any(not claim.held and claim.state is not State.SKIPPED for claim in claims))
    finally:
        os._exit(status)
