"""The mistakes of the catalogue that the handouts print, and those of the documents."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from kata.course.catalogue import REPRODUCED, Bug, bugs
from kata.course.curriculum import Exercise
from kata.course.source import contract, inside, read
from kata.handouts.examples import read_texts
from kata.judging.judge import suite


def sightings(bug: Bug) -> frozenset[str]:
    """The documents and public threads in which a mistake was seen."""
    return frozenset(source for source in bug.seen_in if source != REPRODUCED)


@cache
def traps(exercise: Exercise) -> tuple[Bug, ...]:
    """One mistake for each claim, the most often seen first: those that a class will make."""
    often = sorted(bugs(exercise), key=lambda bug: -len(sightings(bug)))
    first: dict[str, Bug] = {}
    for bug in often:
        first.setdefault(bug.claim, bug)
    return tuple(first.values())


def made_in(exercise: Exercise, bug: Bug) -> str:
    """The function or class that contains the mistake; "" if the exercise has only one."""
    solution, names = read(exercise.solution), contract(exercise).names
    lines = (1 + solution.text[: solution.text.index(find)].count("\n") for find, _ in bug.change)
    # A change of the imports is in no function.
    name = next(filter(None, (inside(solution, line) for line in lines)), "")
    return name if len(names) > 1 and name in names else ""


def by_claim(exercise: Exercise) -> Iterator[tuple[str, tuple[Bug, ...]]]:
    """The sentence of each claim in the suite's order, and the mistakes that break it first."""
    for name, sentence in claims(exercise).items():
        breakers = tuple(bug for bug in bugs(exercise) if bug.claim == name)
        if breakers:
            yield sentence, breakers


def claims(exercise: Exercise) -> dict[str, str]:
    """The sentences of all claims of the suite by their names, in their order."""
    docstrings = {claim.name: claim.function.__doc__ or "" for claim in suite(exercise)}
    return {name: " ".join(text.split()) for name, text in docstrings.items()}


@dataclass(frozen=True)
class OwnBug:
    """One of the documents' twenty bugs, with the wrong answer that shows it."""

    number: int
    title: str
    exercise: str
    slug: str
    # The head first.
    table: Sequence[Sequence[str]] = ()


def own_bugs() -> list[OwnBug]:
    """Read all own bugs, in the order of the page."""
    return [OwnBug(**entry) for entry in read_texts("documents")["bug"]]
