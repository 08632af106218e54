"""Hints about wrong answers that a learner's own tests miss: one at a time, one more per call."""

from collections.abc import Iterator
from dataclasses import dataclass
from difflib import unified_diff

from kata.course.catalogue import Bug, bugs, wrong_answer
from kata.course.curriculum import Exercise, exercises
from kata.course.source import contract
from kata.errors import UserError
from kata.learner.help import Hints
from kata.learner.status import Work
from kata.proofs.verdict import LEVELS, ProofVerdict
from kata.terminal.style import Style

AROUND = 1  # lines of the right answer above and below the change


@dataclass(frozen=True)
class Survivor:
    """A wrong answer that no test catches.

    Attributes:
        bug: the entry of the catalogue, which is never named.
        level: the lowest level that it belongs to.
        about: the function or class that is wrong.
        left: how many of its level are not caught, itself included.
    """

    bug: Bug
    level: int
    about: str
    left: int

    @property
    def title(self) -> str:
        """The heading above its hints."""
        return (
            f"a wrong `{self.about}` of level {self.level} gets past your tests "
            f"({self.left} of this level do)"
        )


def next_hint(work: Work, verdict: ProofVerdict, name: str = "") -> Hints | None:
    """Return the hints so far about a wrong answer, and one more; None if none is missed.

    Args:
        work: the learner's own answers, and what was said so far.
        verdict: what the tests are worth.
        name: the function or class that the wrong answer is about; by default any.
    """
    if verdict.refuses:
        return None
    exercise = exercises()[verdict.slug]
    if name and name not in contract(exercise).names:
        names = ", ".join(f"`{defined}`" for defined in contract(exercise).names)
        raise UserError(f"{exercise.slug} has no `{name}`: it has {names}")
    progress, topics = work.progress, f"proofs/{exercise.slug}"
    survivor = _survivor(verdict, progress.topic(topics), name)
    if survivor is None:
        return None
    texts = _texts(exercise, survivor.bug, passed=work.has_passed(exercise))
    count = min(progress.hints(topics, survivor.bug.slug) + 1, len(texts))
    progress.note_hints(topics, survivor.bug.slug, count)
    return Hints(survivor.about, survivor.title, texts[:count], len(texts), progress.save())


def no_hint(verdict: ProofVerdict, *, prove: str, name: str = "") -> str:
    """Return why there is no hint; `prove` is what the learner types to judge the tests."""
    if verdict.refuses:
        return f"a test refuses a right answer: mend it first; `{prove}` says which"
    subject = f"`{name}`" if name else exercises()[verdict.slug].short
    return f"your tests catch every wrong answer of {subject}: nothing is left to hint at"


def hint_lines(hints: Hints, style: Style) -> Iterator[str]:
    """Yield the lines of all hints so far."""
    yield from (style.paint(line, "bold") for line in style.wrap(hints.title))
    for number, text in enumerate(hints.texts, start=1):
        yield style.paint(f"{number} of {hints.total}", "dim")
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


def _survivor(verdict: ProofVerdict, last: str, name: str) -> Survivor | None:
    """Return the one of the last hints, if it is still missed; else the first, by level."""
    about = {answer.slug: answer for answer in verdict.wrong if name in {"", answer.about}}
    left = [slug for slug in verdict.survivors(LEVELS[-1]) if slug in about]
    if not left:
        return None
    wrong = about[last if last in left else left[0]]
    bug = next(bug for bug in bugs(exercises()[verdict.slug]) if bug.slug == wrong.slug)
    level = {answer.slug for answer in verdict.wrong if answer.level == wrong.level}
    return Survivor(bug, wrong.level, wrong.about, len(level - verdict.caught(wrong.level)))


def _texts(exercise: Exercise, bug: Bug, *, passed: bool) -> tuple[str, ...]:
    """Return all hints, from vague to plain.

    The code of a wrong answer is nearly the solution, which is for those who have their own.
    """
    code = (
        "\n".join(("Where it differs from a right answer:", *_change(exercise, bug)))
        if passed
        else f"The code is shown once all claims of {exercise.slug} hold for your own answer: "
        "it is nearly the solution."
    )
    return (
        f"It stays unseen as long as {bug.invisible_when.strip().rstrip('.')}.",
        f"What it does: {bug.symptom.strip()}",
        code,
    )


def _change(exercise: Exercise, bug: Bug) -> Iterator[str]:
    """Yield the lines in which a wrong answer differs from the solution."""
    right = exercise.solution.read_text(encoding="utf-8").splitlines()
    wrong = wrong_answer(exercise, bug).splitlines()
    # The first two lines are the names of files.
    lines = list(unified_diff(right, wrong, lineterm="", n=AROUND))[2:]
    yield from ("…" if line.startswith("@@") else line for line in lines)
