"""Whether later exercises work on top of every right answer to the earlier ones."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from kata.course.curriculum import Exercise, exercises
from kata.course.source import read, siblings
from kata.course.target import SUBMISSION, Target
from kata.diagnosis.observe import observe
from kata.diagnosis.records import needed
from kata.upkeep.faces import accepted

Answers = Mapping[str, Path]


def references_stand_on_accepted(exercise: Exercise) -> Iterator[str]:
    """The solution passes on top of right answers in other styles: each one has its turn.

    An earlier suite that accepts an answer vouches for it to all later exercises.
    """
    failing = [chosen for chosen in _turns(exercise) if _failures(exercise, chosen)]
    blamed = [text for chosen in failing for text in _blamed(exercise, chosen)]
    yield from dict.fromkeys(blamed)  # whoever comes first has several turns


def accepted_against_accepted(exercise: Exercise) -> Iterator[tuple[str, str]]:
    """Right answers that fail on top of a right answer to an exercise that they import."""
    for answer in accepted(exercise):
        for need in sorted(siblings(read(answer).tree)):
            for below in accepted(exercises()[need]):
                if _failures(exercise, {exercise.slug: answer, need: below}):
                    yield _named(answer), _named(below)


def _named(answer: Path) -> str:
    return f"{answer.parent.name.split('_')[0]}/{answer.name}"


def _turns(exercise: Exercise) -> Iterator[Answers]:
    """In each turn another answer to every earlier exercise at once, until all had a turn."""
    answers = {each.slug: accepted(each) for each in needed(exercise)}
    for turn in range(max(map(len, answers.values()), default=0)):
        yield {slug: paths[turn % len(paths)] for slug, paths in answers.items() if paths}


def _blamed(exercise: Exercise, chosen: Answers) -> Iterator[str]:
    """Which of them alone makes the solution fail; or all of them, if it takes several."""
    alone = {path: _failures(exercise, {slug: path}) for slug, path in chosen.items()}
    for path, failures in alone.items():
        if failures:
            yield f"the solution fails {failures[0]} on top of {path.parent.name}/{path.name}"
    if not any(alone.values()):
        together = ", ".join(f"{path.parent.name}/{path.name}" for path in chosen.values())
        yield f"the solution fails {_failures(exercise, chosen)[0]} on top of {together}"


def _failures(exercise: Exercise, chosen: Answers) -> list[str]:
    """The claims that the solution fails with these answers below it, and other solutions."""
    judged = (*needed(exercise), *(exercises()[slug] for slug in chosen), exercise)
    paths = {each.slug: each.solution for each in judged}
    texts = {slug: read(path).text for slug, path in (paths | dict(chosen)).items()}
    seen = observe(exercise, Target(SUBMISSION, texts, trusts=texts.__contains__))
    return [claim.name for claim in seen.verdict.judged if not claim.held]
