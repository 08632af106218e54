"""What the wrong answers of an exercise fail, and which part of its contract they are about."""

import ast
from collections.abc import Iterator
from contextlib import suppress
from functools import cache

from kata.course.catalogue import Bug, CatalogueError, bugs, target_of, wrong_answer
from kata.course.curriculum import Exercise
from kata.course.source import contract, read, tree_of
from kata.diagnosis.observe import observe
from kata.diagnosis.records import record_of

LEVEL = 1


def level_1(exercise: Exercise) -> tuple[Bug, ...]:
    """The wrong answers that every learner's own tests should catch.

    Without those that cannot be applied: another gate complains about them.
    """
    return tuple(bug for bug in bugs(exercise) if bug.level == LEVEL and _applies(exercise, bug))


def _applies(exercise: Exercise, bug: Bug) -> bool:
    with suppress(CatalogueError):
        return bool(wrong_answer(exercise, bug))
    return False


@cache
def kills(exercise: Exercise, bug: Bug) -> frozenset[str]:
    """The claims of the suite that catch it, as recorded, or else as they judge it now."""
    if record := record_of(exercise, bug, 0):
        return record.failing
    verdict = observe(exercise, target_of(exercise, wrong_answer(exercise, bug))).verdict
    return frozenset(claim.name for claim in verdict.judged if not claim.held)


@cache
def asked_for(exercise: Exercise) -> tuple[str, ...]:
    """The functions and classes of the contract."""
    return tuple(dict.fromkeys(name.split(".")[0] for name in contract(exercise).functions))


@cache
def concerns(exercise: Exercise, bug: Bug) -> frozenset[str]:
    """The functions and classes of the contract that a wrong answer has changed, or a helper of."""
    right = _parts(read(exercise.solution).tree)
    wrong = _parts(tree_of(wrong_answer(exercise, bug)))
    changed = {name for name in right | wrong if _dump(right, name) != _dump(wrong, name)}
    touched = changed & set(asked_for(exercise))
    return frozenset(touched or _users(right, changed) & set(asked_for(exercise)))


def _parts(tree: ast.Module) -> dict[str, ast.stmt]:
    """The statements of a module by the name that each defines."""
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
    """Those that use a changed name, or one that uses it."""
    found = {name for name, node in parts.items() if changed & _names(node)}
    return found if found <= changed else _users(parts, changed | found) | found


def _names(node: ast.stmt) -> set[str]:
    return {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
