"""The right and the wrong answers that a proof is run on, as what a worker is sent.

Whatever tells them apart but their behaviour is the same for all: names, paths, order of imports.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from kata.course.catalogue import bugs, target_of, wrong_answer
from kata.course.curriculum import Exercise, exercises
from kata.course.source import contract
from kata.course.target import Target, reference
from kata.proofs.right import REFERENCE, because

OURS, THEIRS = "kata_answer", "kata_reference"  # packages
# What this one does with a model that it is given cannot be done to one in another process.
LOCAL = {("ex18_training_run", "functional")}


@dataclass(frozen=True)
class Answer:
    """One implementation.

    Attributes:
        name: of a right answer, or the slug of a wrong one.
        text: of its file.
        right: whether a test may not refuse it.
        because: the sentence of the contract that makes it right.
    """

    name: str
    text: str
    right: bool
    because: str = ""


@cache
def right_answers(exercise: Exercise) -> tuple[Answer, ...]:
    """The reference first, then those in other styles."""
    first = Answer(REFERENCE, exercise.solution.read_text(encoding="utf-8"), right=True)
    files = sorted(exercise.accepted.glob("*.py"))
    others = [each for each in files if (exercise.slug, each.stem) not in LOCAL]
    texts = ((each.stem, each.read_text(encoding="utf-8")) for each in others)
    return first, *(Answer(name, text, True, because(text)) for name, text in texts)


@cache
def wrong_answers(exercise: Exercise) -> tuple[Answer, ...]:
    """Those of level 1."""
    chosen = (each for each in bugs(exercise) if each.level == 1)
    return tuple(Answer(each.slug, wrong_answer(exercise, each), right=False) for each in chosen)


def order(exercise: Exercise, answer: Answer, others: Iterable[str]) -> list[Any]:
    """What the process of an implementation executes, and what tests may call in it.

    Args:
        exercise: of the proof.
        answer: the implementation.
        others: other exercises that the proof imports; of these, it gets the reference.
    """
    target = target_of(exercise, answer.text)
    places = {exercise.slug: target, **dict.fromkeys(others, reference())}
    renamed = {f"{target.name}_": f"{OURS}_", f"{reference().name}_": f"{THEIRS}_"}
    parts = dict.fromkeys(
        each for slug, place in places.items() for each in _parts(place, slug, renamed)
    )
    names = [
        (slug, _renamed(place.module_name(slug), renamed), name)
        for slug, place in places.items()
        for name in contract(exercises()[slug]).names
    ]
    return [[*parts], names]


def _parts(target: Target, slug: str, renamed: dict[str, str]) -> Iterator[tuple[Any, ...]]:
    for each in target.parts(slug):
        needs = tuple((name, _renamed(module, renamed)) for name, module in each.needs)
        package = _renamed(each.package, renamed)
        yield package, each.slug, f"exercises/{each.slug}.py", each.text, needs


def _renamed(name: str, renamed: dict[str, str]) -> str:
    for before, after in renamed.items():
        name = name.replace(before, after)
    return name


def defined(slug: str) -> tuple[str, list[str], list[str]]:
    """An exercise with its functions and its classes: all that a test's process is told of it."""
    found = contract(exercises()[slug])
    classes = {name.split(".")[0] for name in found.functions if "." in name}
    functions = [each for each in found.names if each not in classes]
    return slug, functions, [each for each in found.names if each in classes]
