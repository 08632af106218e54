"""Right answers are right on all that a contract promises, not only on the inputs of the suite."""

from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from runpy import run_path
from types import ModuleType
from typing import Any

from kata.course.catalogue import target_of
from kata.course.curriculum import ROOT, Exercise
from kata.course.source import read
from kata.course.target import reference
from kata.judging.judge import import_torch
from kata.upkeep.faces import accepted
from kata.upkeep.fuzz.given import Draw
from kata.upkeep.fuzz.trial import Trial, differences, outcome

FUZZ = ROOT / "tests" / "fuzz"
FEW, MANY = 8, 150  # draws


def fuzz_file(exercise: Exercise) -> Path:
    """The module that draws its arguments; an exercise may have none."""
    return FUZZ / exercise.filename


def right_answers_agree(exercise: Exercise) -> Iterator[str]:
    """Right answers agree with the reference on random inputs that the contract allows."""
    yield from disagreements(exercise, FEW)


def right_answers_agree_at_length(exercise: Exercise) -> Iterator[str]:
    """They do so on many random inputs."""
    yield from disagreements(exercise, MANY)


def disagreements(exercise: Exercise, draws: int) -> Iterator[str]:
    """The first draw in which an answer is wrong, for each that is."""
    if not fuzz_file(exercise).exists():
        return
    if exercise.library == "torch":
        import_torch()
    wrong: set[str] = set()
    for number in range(draws):
        for trial in _trials(exercise, number):
            for name, found in _judged(exercise, trial, wrong):
                wrong.add(name)
                yield f"{name}: draw {number}: {trial}: {found}"


def _judged(exercise: Exercise, trial: Trial, wrong: set[str]) -> Iterator[tuple[str, str]]:
    """The first thing that is wrong with each answer that was right until now."""
    answers = {name: module for name, module in _answers(exercise) if name not in wrong}
    right = outcome(trial, reference().module(exercise.slug), exercise.library, exact=True)
    for name, module in answers.items():
        first = _first(exercise, trial, module, right)
        if first:
            yield name, first


def _first(exercise: Exercise, trial: Trial, module: ModuleType, right: Any) -> str:
    try:
        mine = outcome(trial, module, exercise.library)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return next(differences(trial, mine, right), "")


@cache
def _answers(exercise: Exercise) -> list[tuple[str, ModuleType]]:
    """The solution and the right answers in other styles, loaded."""
    paths = [exercise.solution, *accepted(exercise)]
    texts = {f"{path.parent.name}/{path.name}": read(path).text for path in paths}
    return [(name, target_of(exercise, text).module(exercise.slug)) for name, text in texts.items()]


def _trials(exercise: Exercise, number: int) -> Iterator[Trial]:
    yield from _drawn_by(fuzz_file(exercise))(Draw(exercise.slug, number))


@cache
def _drawn_by(path: Path) -> Callable[[Draw], Iterator[Trial]]:
    trials: Callable[[Draw], Iterator[Trial]] = run_path(str(path))["trials"]
    return trials
