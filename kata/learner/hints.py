"""Hints for a learner who is stuck: those of the known mistake, then those of the function."""

from dataclasses import dataclass

from kata.course.curriculum import Exercise
from kata.course.source import Source, contract, function_at
from kata.learner.progress import Progress
from kata.terminal.style import Style
from kata.verdict import ExerciseVerdict


@dataclass(frozen=True)
class Hints:
    """Hints about one topic, in the order in which they are given."""

    topic: str
    title: str
    texts: tuple[str, ...]


def hints_for(exercise: Exercise, verdict: ExerciseVerdict, source: Source) -> Hints:
    """Hints about the mistake if it is recognised, and then about the function that fails."""
    name = function_at(source, 0 if verdict.file else verdict.line)
    name = name if name in contract(exercise).names else contract(exercise).names[0]
    about = f"about `{name}`"
    if not verdict.mistakes:
        return Hints(name, about, general(exercise, name))
    own = [hint for mistake in verdict.mistakes for hint in mistake.hints]
    topic = " ".join(mistake.slug for mistake in verdict.mistakes)
    titles = "; ".join(mistake.title for mistake in verdict.mistakes)
    return Hints(topic, f"known mistake: {titles}", (*own, *general(exercise, name)))


def general(exercise: Exercise, name: str) -> tuple[str, ...]:
    """The hints of a function, whatever is wrong with it; none if none are written yet."""
    return exercise.hints.get(name.split(".", maxsplit=1)[0], ())


def one_more(memory: Progress, exercise: Exercise, hints: Hints) -> tuple[tuple[str, ...], bool]:
    """The hints so far, and one more; and whether the count could be saved."""
    count = min(memory.hints(exercise.slug, hints.topic) + 1, len(hints.texts))
    memory.note_hints(exercise.slug, hints.topic, count)
    return hints.texts[:count], memory.save()


def hint_lines(memory: Progress, exercise: Exercise, hints: Hints, style: Style) -> list[str]:
    """One more hint, below those before."""
    texts, saved = one_more(memory, exercise, hints)
    total = len(hints.texts)
    lines = [style.paint(line, "bold") for line in style.wrap(hints.title)]
    for number, text in enumerate(texts, start=1):
        head = f"{exercise.slug}, hint {number} of {total}"
        lines += [style.paint(head, "dim"), *style.wrap(text, 2)]
    if len(texts) == total:
        lines += style.wrap(
            "That was the last one. "
            f"`kata solution {exercise.short} --reveal` shows how the reference does it."
        )
    if not saved:
        lines += style.wrap(f"{memory.path} cannot be written: nothing will be remembered")
    return lines
