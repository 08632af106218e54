"""Level 1: the wrong answers that stand for traps, which every learner's own tests should catch.

`python -m kata.upkeep.levels ex05` lists candidates.
"""

import ast
import sys
import warnings
from collections.abc import Iterator
from contextlib import redirect_stdout, suppress
from doctest import DocTest, DocTestFinder, DocTestRunner
from functools import cache
from io import StringIO
from itertools import combinations
from types import ModuleType

from kata.course.catalogue import REPRODUCED, Bug, CatalogueError, bugs, target_of, wrong_answer
from kata.course.curriculum import Exercise, exercise_named
from kata.course.source import contract, read, tree_of
from kata.course.target import reference
from kata.diagnosis.observe import observe
from kata.diagnosis.suspects import record_of
from kata.judging.judge import import_torch
from kata.proofs.judge import judge
from kata.proofs.proof import Proof
from kata.upkeep.faces import MODEL_PROOF

FEWEST, MOST = 8, 12
REAL_SHARE = EASY_SHARE = 0.5
LEVEL = 1
ENOUGH = 10
LIKENESS = 6.0  # how many people's sightings it takes to make up for failing the same claims


def level_1_is_whole(exercise: Exercise) -> Iterator[str]:
    """Level 1 has eight to twelve traps about all functions, no two caught by the same claims.

    An exercise may have no level 1 yet; `kata check` notes that.
    """
    for bug in bugs(exercise):
        if bug.level not in (0, LEVEL):
            yield f"{bug.slug} has the level {bug.level}; only {LEVEL} is written down"
    if not (chosen := level_1(exercise)):
        return
    if not FEWEST <= len(chosen) <= MOST:
        yield f"{len(chosen)} wrong answers are of level 1, not {FEWEST} to {MOST}"
    covered = {name for bug in chosen for name in concerns(exercise, bug)}
    for name in contract_names(exercise):
        if name not in covered:
            yield f"no wrong answer of level 1 is about {name}"
    for bug, other in combinations(chosen, 2):
        if kills(exercise, bug) == kills(exercise, other):
            yield f"{bug.slug} and {other.slug} are both of level 1, and the same claims catch them"


def level_1_is_real(exercise: Exercise) -> Iterator[str]:
    """Half of level 1 happened to somebody, or all that did, if the catalogue has fewer."""
    chosen = level_1(exercise)
    real = sum(bug.is_real for bug in chosen)
    available = sum(bug.is_real for bug in bugs(exercise))
    if real < min(REAL_SHARE * len(chosen), available):
        yield f"{real} of {len(chosen)} wrong answers of level 1 happened to somebody"


def examples_are_not_enough(exercise: Exercise) -> Iterator[str]:
    """Less than half of level 1 is caught by the examples that the docstrings give away."""
    chosen = level_1(exercise)
    caught = [bug.slug for bug in caught_by_examples(exercise, chosen)]
    if chosen and len(caught) >= EASY_SHARE * len(chosen):
        text = f"{len(caught)} of {len(chosen)}: {', '.join(caught)}"
        yield f"the examples in the docstrings catch half of level 1 or more, {text}"


def model_proof_catches_level_1(exercise: Exercise) -> Iterator[str]:
    """The model proof refuses no right answer, and no wrong one of level 1 gets past it."""
    path = MODEL_PROOF.of(exercise)
    if not path.exists():
        return
    verdict = judge(Proof.of(exercise, path, path.read_text(encoding="utf-8")), level=LEVEL)
    for test in verdict.refuses:
        yield f"{test.name} refuses a right answer: {test.refusals} {test.remark}"
    for slug in verdict.survivors(LEVEL):
        yield f"{slug} gets past it"
    if not verdict.is_done:
        yield f"it is not done: {verdict.error}"


def level_1(exercise: Exercise) -> tuple[Bug, ...]:
    """Return the wrong answers of level 1 that can be applied.

    Another gate complains about the others.
    """
    return tuple(bug for bug in bugs(exercise) if bug.level == LEVEL and _applies(exercise, bug))


def _applies(exercise: Exercise, bug: Bug) -> bool:
    with suppress(CatalogueError):
        return bool(wrong_answer(exercise, bug))
    return False


@cache
def kills(exercise: Exercise, bug: Bug) -> frozenset[str]:
    """Return the claims that catch a wrong answer, as recorded, or else as they judge it now."""
    if record := record_of(exercise, bug, 0):
        return record.failing
    verdict = observe(exercise, target_of(exercise, wrong_answer(exercise, bug))).verdict
    return frozenset(claim.name for claim in verdict.judged if not claim.held)


@cache
def contract_names(exercise: Exercise) -> tuple[str, ...]:
    """Return the functions and classes of the contract."""
    return tuple(dict.fromkeys(name.split(".")[0] for name in contract(exercise).functions))


@cache
def concerns(exercise: Exercise, bug: Bug) -> frozenset[str]:
    """Return the functions and classes of the contract that a wrong answer changes.

    If it changes a helper only, these are the functions that use it.
    """
    right = _parts(read(exercise.solution).tree)
    wrong = _parts(tree_of(wrong_answer(exercise, bug)))
    changed = {name for name in right | wrong if _dump(right, name) != _dump(wrong, name)}
    touched = changed & set(contract_names(exercise))
    return frozenset(touched or _users(right, changed) & set(contract_names(exercise)))


def _parts(tree: ast.Module) -> dict[str, ast.stmt]:
    """The statements of a module by the names that they define."""
    return {name: node for node in tree.body for name in _defined(node)}


def _defined(node: ast.stmt) -> Iterator[str]:
    match node:
        case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
            yield name
        case ast.Assign(targets=targets):
            yield from (expression.id for expression in targets if isinstance(expression, ast.Name))
        case ast.Import(names=names) | ast.ImportFrom(names=names):
            yield from (alias.asname or alias.name for alias in names)


def _dump(parts: dict[str, ast.stmt], name: str) -> str:
    return ast.dump(parts[name]) if name in parts else ""


def _users(parts: dict[str, ast.stmt], changed: set[str]) -> set[str]:
    """The names of statements that use a changed name, directly or through others."""
    users = {name for name, node in parts.items() if changed & _names(node)}
    return users if users <= changed else _users(parts, changed | users) | users


def _names(node: ast.stmt) -> set[str]:
    return {name.id for name in ast.walk(node) if isinstance(name, ast.Name)}


def caught_by_examples(exercise: Exercise, candidates: tuple[Bug, ...]) -> Iterator[Bug]:
    """Yield the wrong answers that do not give what the examples in the docstrings say."""
    if exercise.library == "torch":
        import_torch()
    for bug in candidates:
        target = target_of(exercise, wrong_answer(exercise, bug))
        try:
            module = target.module(exercise.slug)
        except Exception:  # any: it cannot even be imported
            yield bug
        else:
            if not all(_holds(example, module) for example in _examples(exercise)):
                yield bug


@cache
def _examples(exercise: Exercise) -> tuple[DocTest, ...]:
    """The examples of the reference: the docstrings of a wrong answer may say something else."""
    doc_tests = DocTestFinder().find(reference().module(exercise.slug))
    return tuple(doc_test for doc_test in doc_tests if doc_test.examples)


def _holds(example: DocTest, module: ModuleType) -> bool:
    """Return whether an example gives what it says, with the names of this module."""
    names = {**vars(module)}
    bound = DocTest(
        example.examples, names, example.name, example.filename, example.lineno, example.docstring
    )
    with redirect_stdout(StringIO()), warnings.catch_warnings(action="ignore"):
        return not DocTestRunner(verbose=False).run(bound, out=lambda _: None).failed


def proposed(exercise: Exercise) -> list[Bug]:
    """Return ten wrong answers; every function and class has its share of them."""
    chosen: list[Bug] = []
    while len(chosen) < ENOUGH and (left := [bug for bug in bugs(exercise) if bug not in chosen]):
        name = _least_covered(exercise, chosen)
        about = [bug for bug in left if name in concerns(exercise, bug)] or left
        chosen.append(max(about, key=lambda bug: _worth(exercise, bug, chosen)))
    return chosen


def _least_covered(exercise: Exercise, chosen: list[Bug]) -> str:
    covered = [name for bug in chosen for name in concerns(exercise, bug)]
    return min(contract_names(exercise), key=covered.count)


def _worth(exercise: Exercise, bug: Bug, chosen: list[Bug]) -> float:
    """How often it was seen, less what it has in common with the nearest of those chosen."""
    alike = max((_likeness(exercise, bug, other) for other in chosen), default=0.0)
    return min(len(_seen(bug)), 3) - LIKENESS * alike


def _likeness(exercise: Exercise, bug: Bug, other: Bug) -> float:
    """The share of the claims that both fail, of those that either fails."""
    mine, theirs = kills(exercise, bug), kills(exercise, other)
    return len(mine & theirs) / max(len(mine | theirs), 1)


def _seen(bug: Bug) -> list[str]:
    return [text for text in bug.seen_in if text != REPRODUCED]


def table(exercise: Exercise) -> Iterator[str]:
    """Yield a line for every wrong answer: `*` proposed, `1` chosen, `e` caught by the examples."""
    chosen = proposed(exercise)
    by_examples = set(caught_by_examples(exercise, bugs(exercise)))
    for bug in sorted(bugs(exercise), key=lambda bug: not bug.is_real):
        marks = f"{'*' if bug in chosen else ' '}{bug.level or ' '}"
        marks += f"{'e' if bug in by_examples else ' '}{len(_seen(bug)):2}"
        about = ",".join(sorted(concerns(exercise, bug)))
        yield f"{marks} {len(kills(exercise, bug)):3} {about:20} {bug.slug}: {bug.title}"


if __name__ == "__main__":
    for name in sys.argv[1:]:
        print("\n".join(table(exercise_named(name))))
