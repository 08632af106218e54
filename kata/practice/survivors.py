"""Hints about wrong answers that a learner's own tests miss: one at a time, one more each time."""

from collections.abc import Iterator
from dataclasses import dataclass
from difflib import unified_diff

from kata.course.catalogue import Bug, bugs, wrong_answer
from kata.course.curriculum import Exercise, exercises
from kata.course.source import contract
from kata.errors import UserError
from kata.learner.progress import Progress
from kata.proofs.verdict import LEVELS, ProofVerdict
from kata.terminal.style import Style

STEPS = 3
AROUND = 1  # lines of the right answer above and below the change


@dataclass(frozen=True)
class Survivor:
    """One wrong answer that no test catches.

    Attributes:
        slug: of the entry; it is told to nobody.
        level: the lowest level that it belongs to.
        about: the function or class that is wrong.
        texts: what to say of it, each giving away more than the one before.
        left: how many of its level are not caught, itself included.
    """

    slug: str
    level: int
    about: str
    texts: tuple[str, ...]
    left: int


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


def survivor(verdict: ProofVerdict, text: str = "", name: str = "") -> Survivor | None:
    """The one that was talked of before, if it is still missed; else the first, by level.

    Args:
        found: what the tests are worth.
        known: the slug of the one that was talked of before.
        name: the function or class that is wrong; by default any.
    """
    about = {answer.slug for answer in verdict.wrong if name in {"", answer.about}}
    left = [slug for slug in verdict.survivors(LEVELS[-1]) if slug in about]
    return _told(verdict, text if text in left else left[0]) if left else None


def _told(verdict: ProofVerdict, slug: str) -> Survivor:
    exercise = exercises()[verdict.slug]
    wrong = next(answer for answer in verdict.wrong if answer.slug == slug)
    bug = next(each for each in bugs(exercise) if each.slug == slug)
    texts = (
        f"It stays unseen as long as {bug.invisible_when.strip().rstrip('.')}.",
        f"What it does: {bug.symptom.strip()}",
        "\n".join(("Where it differs from a right answer:", *change(exercise, bug))),
    )
    same = [answer for answer in verdict.of(wrong.level) if answer.level == wrong.level]
    left = len({answer.slug for answer in same} - verdict.caught(wrong.level))
    return Survivor(slug, wrong.level, wrong.about, texts, left)


def change(exercise: Exercise, bug: Bug) -> Iterator[str]:
    """The lines in which it differs from the solution."""
    right = exercise.solution.read_text(encoding="utf-8").splitlines()
    wrong = wrong_answer(exercise, bug).splitlines()
    lines = list(unified_diff(right, wrong, lineterm="", n=AROUND))[2:]  # no names of files
    yield from ("…" if line.startswith("@@") else line for line in lines)
