"""What to say to somebody who is stuck: the mistake's own hints, then those of the function."""

import tomllib
from dataclasses import dataclass
from functools import cache

from kata.course.curriculum import EXERCISES, Exercise
from kata.course.source import Source, contract, function_at
from kata.learner.progress import Progress
from kata.terminal.style import Style
from kata.verdict import ExerciseVerdict
from kata.words import say


@dataclass(frozen=True)
class Hints:
    """Hints about one topic, in the order in which they are given."""

    topic: str
    title: str
    texts: tuple[str, ...]


def hints_for(exercise: Exercise, found: ExerciseVerdict, source: Source) -> Hints:
    """About the mistake that was recognised, if one was; about the function, in any case."""
    name = function_at(source, found.line)
    name = name if name in contract(exercise).names else contract(exercise).names[0]
    about = say("learner.hint.about-function", name=name)
    if not found.mistakes:
        return Hints(name, about, general(exercise, name))
    own = [hint for each in found.mistakes for hint in each.hints]
    topic = " ".join(each.slug for each in found.mistakes)
    titles = "; ".join(each.title for each in found.mistakes)
    return Hints(topic, say("learner.hint.about", title=titles), (*own, *general(exercise, name)))


def general(exercise: Exercise, name: str) -> tuple[str, ...]:
    """The hints of a function, whatever is wrong with it."""
    return tuple(_table()[exercise.slug][name.split(".", maxsplit=1)[0]])


@cache
def _table() -> dict[str, dict[str, list[str]]]:
    return tomllib.loads((EXERCISES / "hints.toml").read_text(encoding="utf-8"))


def told(memory: Progress, exercise: Exercise, hints: Hints, style: Style) -> list[str]:
    """The hints that were read before, and one more; remembered if that is possible."""
    total = len(hints.texts)
    count = min(memory.hints(exercise.slug, hints.topic) + 1, total)
    memory.note_hints(exercise.slug, hints.topic, count)
    lines = [style.paint(line, "bold") for line in style.wrap(hints.title)]
    for number, text in enumerate(hints.texts[:count], start=1):
        head = say("learner.hint.head", slug=exercise.slug, number=number, count=total)
        lines += [style.paint(head, "dim"), *style.wrap(text, 2)]
    if count == total:
        lines += style.wrap(say("learner.hint.last", short=exercise.short))
    if not memory.save():
        lines += style.wrap(say("learner.not-remembered", path=memory.path))
    return lines
