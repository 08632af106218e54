"""Hints about wrong answers that a learner's own tests miss: one at a time, one more each time."""

from collections.abc import Iterator
from dataclasses import dataclass

from kata.course.curriculum import Exercise
from kata.course.source import contract
from kata.errors import UserError
from kata.learner.progress import Progress
from kata.proofs.shown.survivor import STEPS, Survivor, survivor
from kata.proofs.verdict import ProofVerdict
from kata.terminal.style import Style


@dataclass(frozen=True)
class SurvivorHints:
    """The hints so far about one wrong answer, the newest at the end.

    Attributes:
        saved: whether the count could be saved.
    """

    about: Survivor
    texts: tuple[str, ...]
    saved: bool

    @property
    def is_last(self) -> bool:
        """Whether nothing more can be said of it."""
        return len(self.texts) == STEPS


def one_more(
    memory: Progress, exercise: Exercise, verdict: ProofVerdict, name: str = "", *, passed: bool
) -> SurvivorHints | None:
    """Give one more hint, about the same wrong answer as long as it is missed; none if none is.

    Args:
        memory: what was said so far.
        exercise: what the tests are about.
        verdict: what they are worth.
        name: the function or class that the wrong answer is about; by default any.
        passed: whether the learner's own answer is right. The code of a wrong one is nearly the
            solution, which is for those who have their own.
    """
    if name and name not in contract(exercise).names:
        names = ", ".join(f"`{known_name}`" for known_name in contract(exercise).names)
        raise UserError(f"{exercise.slug} has no `{name}`: it has {names}")
    topics = f"proofs/{exercise.slug}"
    about = survivor(verdict, memory.topic(topics), name)
    if about is None:
        return None
    texts = list(about.texts)
    if not passed:
        texts[-1] = (
            f"The code is shown once all claims of {exercise.slug} hold for your own answer: "
            "it is nearly the solution."
        )
    count = min(memory.hints(topics, about.slug) + 1, STEPS)
    memory.note_hints(topics, about.slug, count)
    return SurvivorHints(about, tuple(texts[:count]), memory.save())


def none_left(exercise: Exercise, verdict: ProofVerdict, name: str = "") -> str:
    """Why there is no hint."""
    if verdict.refuses:
        return (
            "a test refuses a right answer: mend it first; "
            f"`kata prove {exercise.short}` says which"
        )
    what = f"`{name}`" if name else exercise.short
    return f"your tests catch every wrong answer of {what}: nothing is left to hint at"


def hint_lines(hints: SurvivorHints, style: Style) -> Iterator[str]:
    """The lines of all hints so far."""
    about = hints.about
    head = (
        f"a wrong `{about.about}` of level {about.level} gets past your tests "
        f"({about.left} of this level do)"
    )
    yield from (style.paint(line, "bold") for line in style.wrap(head))
    for number, text in enumerate(hints.texts, start=1):
        yield style.paint(f"{number} of {STEPS}", "dim")
        sentence, *code = text.split("\n")
        yield from style.wrap(sentence, 2)
        yield from (f"    {line}" for line in code)
    if hints.is_last:
        yield from style.wrap(
            "That was the last hint about this one. "
            "Once a test catches it, hints go on with another."
        )
    if not hints.saved:
        yield from style.wrap("This could not be remembered, so the next hint will be the same.")
