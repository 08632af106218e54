"""What a class has in common, counted once for the terminal and for the report."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from kata.course.curriculum import exercises
from kata.grading.reports.wording import ALIKE
from kata.grading.rubric import named_mistakes, worth
from kata.grading.similarity.alike import Likeness
from kata.points import Mark
from kata.proved import PROOF
from kata.text import clean
from kata.verdict import ClaimVerdict, ExerciseVerdict, Mistake, State

# Mistakes that say nothing about what was taught: what was in the way of running the code.
IN_THE_WAY = {
    *("package-not-installed", "breakpoint-left-over", "plot-left-over"),
    *("file-not-allowed", "exit-left-over", "input-left-over"),
}
ABSENT = re.compile(r"ex\w+\.py has no `\w+`.*")  # as the judge says it of a function or a class


@dataclass
class Hit:
    """A mistake, or several that cannot be told apart, and what it cost those who made it."""

    slug: str  # of the exercise
    mistakes: tuple[Mistake, ...]
    students: list[str] = field(default_factory=list)
    lost: float = 0.0  # points, by the claims that fail by it

    @property
    def title(self) -> str:
        """What it is called."""
        return ALIKE.join(mistake.title for mistake in self.mistakes)

    @property
    def taught(self) -> bool:
        """Whether it is about what was taught."""
        return not any(mistake.slug in IN_THE_WAY for mistake in self.mistakes)


@dataclass
class Group:
    """Students of whom the same claims fail without a known mistake, and the first of these.

    If that one tells more than which numbers differ, such as an error, it tells all of them the
    same.
    """

    slug: str
    claims: int
    first: ClaimVerdict
    students: list[str] = field(default_factory=list)
    lost: float = 0.0

    @property
    def absent(self) -> bool:
        """Whether what the claim is about is not there, which explains itself."""
        return bool(ABSENT.fullmatch(self.first.message.evidence if self.first.message else ""))

    @property
    def sentence(self) -> str:
        """The claim that fails first; if what it is about is not there, that."""
        if not (message := self.first.message):
            return self.first.in_words
        return clean(message.evidence if self.absent else message.claim) or self.first.in_words

    @property
    def evidence(self) -> str:
        """What was called there, and what came of it, of the first who handed it in."""
        message = self.first.message
        texts = [message.inputs, message.evidence] if message else []
        return clean("\n".join(filter(None, texts)))


class Tally:
    """Mistakes, and works that no mistake explains, summed up over students."""

    def __init__(self) -> None:
        self._hits: dict[tuple[str, ...], Hit] = {}
        self._groups: dict[tuple[str, ...], Group] = {}

    def add(self, student: str, exercise: ExerciseVerdict, mark: Mark) -> None:
        """Count what one student's mistakes cost; of two at once, each costs what both do."""
        points = {charge.mistakes: charge.points for charge in mark.charges}
        for mistakes, _ in named_mistakes(exercise):
            slugs = tuple(mistake.slug for mistake in mistakes)
            alone = tuple(replace(mistake, explains=()) for mistake in mistakes)
            hit = self._hits.setdefault((exercise.slug, *slugs), Hit(exercise.slug, alone))
            if student not in hit.students[-1:]:
                hit.students.append(student)
            hit.lost += points.get(slugs, 0.0)

    def add_unexplained(self, student: str, exercise: ExerciseVerdict, mark: Mark) -> None:
        """Count the claims of one student that fail without a known mistake."""
        if claims := exercise.unexplained:
            names = [claim.name for claim in claims]
            lost = exercise.lost_by(names)
            group = Group(exercise.slug, len(lost), claims[0])
            group = self._groups.setdefault((exercise.slug, claims[0].evidence, *names), group)
            group.students.append(student)
            group.lost += mark.most * worth(exercise, lost)

    @property
    def hits(self) -> list[Hit]:
        """What most students made first; of equals, what cost most points."""
        return sorted(self._hits.values(), key=commonest)

    @property
    def groups(self) -> list[Group]:
        """What most students have first; a single student is no group."""
        several = (group for group in self._groups.values() if len(group.students) > 1)
        return sorted(several, key=commonest)


def commonest(cost: Hit | Group) -> tuple[int, float, str, str]:
    """What most students have comes first; of equals, what cost most points."""
    text = cost.title if isinstance(cost, Hit) else cost.sentence
    return -len(cost.students), -round(cost.lost, 6), cost.slug, text


def to_repeat(hits: Sequence[Hit]) -> list[Hit]:
    """Those that cost something and that a lesson can mend."""
    return [hit for hit in hits if hit.taught and hit.lost > 0]


def is_unreadable(exercise: ExerciseVerdict) -> bool:
    """Whether something was handed in of which no claim could be made, such as what is no Python.

    What stands in such a file, nobody knows.
    """
    broken = exercise.count(State.ERROR) or exercise.count(State.NOT_GRADABLE)
    return exercise.is_whole and bool(broken)


@dataclass
class Pair:
    """Two students, or more, whose work is much alike.

    `near` is the share of equal steps in the exercise in which they are nearest.
    """

    students: tuple[str, ...]
    shorts: list[str] = field(default_factory=list)
    near: float = 0.0


def pairs(likenesses: Mapping[tuple[str, str], Likeness]) -> list[Pair]:
    """Each with all their exercises; those who share most first."""
    by_students: dict[tuple[str, ...], Pair] = {}
    places = {(work, likeness.students, likeness) for (_, work), likeness in likenesses.items()}
    for work, students, likeness in sorted(places, key=lambda place: place[:2]):
        if len(students) > 1:
            pair = by_students.setdefault(students, Pair(students))
            short = exercises()[work.removeprefix(PROOF)].short
            pair.shorts.append(f"tests of {short}" if work.startswith(PROOF) else short)
            pair.near = max(pair.near, likeness.near)
    return sorted(by_students.values(), key=lambda pair: (-len(pair.shorts), pair.students))
