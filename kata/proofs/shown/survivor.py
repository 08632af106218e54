"""What can be said of a wrong answer that a learner's tests miss: three steps, up to its code."""

from collections.abc import Iterator
from dataclasses import dataclass
from difflib import unified_diff

from kata.course.catalogue import Bug, bugs, wrong_answer
from kata.course.curriculum import Exercise, exercises
from kata.proofs.verdict import LEVELS, ProofVerdict

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
