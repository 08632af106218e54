"""Gates of hunts: exactly one answer is right, and nothing of the solution is shown too early."""

from collections.abc import Iterable, Iterator

from kata.course.catalogue import Bug, bugs
from kata.course.curriculum import Exercise
from kata.course.source import read
from kata.hunts.evidence import in_all_forms
from kata.hunts.told import question, reply
from kata.hunts.which import LETTERS, Which, which
from kata.terminal.style import Style
from kata.upkeep.observing import Some

SAMPLED = 3  # hunts of an exercise, in every run of pytest
A_LINE = 16  # characters; a shorter line of code may stand in any sentence
WIDE = Style(width=1000)


def hunts_have_one_answer(exercise: Exercise) -> Iterator[str]:
    """There are hunts; in each one mistake shows this evidence, and no solution is shown."""
    some = _sample(bugs(exercise), SAMPLED)
    made = list(_made(exercise, some))
    if len(made) < min(len(some), 2):
        yield f"of {len(some)} mistakes only {len(made)} can be hunted for"
    yield from _complaints(exercise, made)


def all_hunts_have_one_answer(exercise: Exercise, some: Some = None) -> Iterator[str]:
    """The same of every mistake; whoever may stand in its hunt is compared when that is made."""
    yield from _complaints(exercise, _made(exercise, bugs(exercise) if some is None else some))


def _sample(some: tuple[Bug, ...], count: int) -> tuple[Bug, ...]:
    return some[:: max(1, len(some) // count)]


def _made(exercise: Exercise, some: tuple[Bug, ...]) -> Iterator[Which]:
    hunts = {bug.slug: which(exercise, bug, seed=0) for bug in some}
    return filter(None, hunts.values())


def _complaints(exercise: Exercise, made: Iterable[Which]) -> Iterator[str]:
    code = solution_lines(exercise)
    for hunt in made:
        yield from (f"{hunt.bug.slug}: {complaint}" for complaint in complaints(hunt, code))


def complaints(hunt: Which, code: set[str]) -> Iterator[str]:
    """What is wrong with one hunt."""
    chosen = [option.bug for option in hunt.options]
    if len({bug.title for bug in chosen}) != len(LETTERS) or chosen.count(hunt.bug) != 1:
        yield "not four different mistakes, one of which is right"
    for bug in chosen:
        if bug is not hunt.bug and _shows_the_same(hunt, bug):
            yield f"{bug.slug} is a wrong answer, and would show the same"
    shown = "\n".join(
        line
        for answer in hunt.lettered
        for line in [*question(hunt, WIDE), *reply(hunt, answer, WIDE)]
    )
    yield from (f"shows a line of the solution: {line}" for line in code if line in shown)


def _shows_the_same(hunt: Which, bug: Bug) -> bool:
    evidence = hunt.message.evidence
    alike = any(form.text == evidence for form in in_all_forms(hunt.exercise, bug, hunt.claim))
    return alike or bug.slug in hunt.bug.twins


def solution_lines(exercise: Exercise) -> set[str]:
    """The lines of code that a learner has to find: those that the stub does not have."""
    codes = {_code(line) for line in read(exercise.stub).text.splitlines()}
    lines = {_code(line) for line in read(exercise.solution).text.splitlines()}
    return {line for line in lines - codes if len(line) >= A_LINE}


def _code(line: str) -> str:
    return line.partition("  #")[0].strip()
