"""What the class has in common: exercises, mistakes, claims, flags and times, counted."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from statistics import mean, median

from kata.class_verdict import SubmissionVerdict
from kata.course.curriculum import Exercise, exercises
from kata.grading.reports import remarks
from kata.grading.reports.class_page.students import Cell
from kata.grading.reports.common.costs import (
    Group,
    Hit,
    Tally,
    commonest,
    costs,
    is_unreadable,
    to_repeat,
)
from kata.grading.reports.remarks import Remark
from kata.points import Mark
from kata.proved import Proved
from kata.text import clean
from kata.verdict import ClaimVerdict, ExerciseVerdict

MOST_REPEATED = 5  # exercises
MOST_MISTAKES = 3  # to repeat: in all, and of each exercise
MOST_CLAIMS = 5  # of one exercise
SLOWEST = 10


@dataclass
class Miss:
    """A claim that fails where no mistake is known."""

    sentence: str
    count: int = 0


@dataclass(frozen=True)
class Flag:
    """Something to look at, with its exercises."""

    student: str
    places: str
    text: str


@dataclass
class Timing:
    """How long a claim took."""

    name: str
    total: float = 0.0
    longest: float = 0.0
    count: int = 0

    @property
    def mean(self) -> float:
        """Seconds, on average."""
        return self.total / self.count

    def add(self, seconds: float) -> None:
        """Count one more."""
        self.total += seconds
        self.longest = max(self.longest, seconds)
        self.count += 1


@dataclass
class Count:
    """How the class did in one exercise."""

    exercise: Exercise
    most: float
    right: int = 0
    wrong: int = 0  # started, and not all of it right
    unread: int = 0  # of these: what was handed in is no Python
    unbegun: int = 0
    lost: float = 0.0  # points, by those whose work could be read
    score: float = 0.0
    tally: Tally = field(default_factory=Tally)
    unknown: dict[str, Miss] = field(default_factory=dict)
    times: dict[str, Timing] = field(default_factory=dict)

    @property
    def begun(self) -> int:
        """How many have started it."""
        return self.right + self.wrong

    @property
    def everybody(self) -> int:
        """How many were graded."""
        return self.begun + self.unbegun

    @property
    def mean(self) -> float:
        """The average score."""
        return self.score / self.everybody if self.everybody else 0.0

    @property
    def hits(self) -> list[Hit]:
        """The mistakes, what most students made first; of equals, what cost most points."""
        return self.tally.hits

    @property
    def repeated(self) -> list[Hit]:
        """Those to speak about first."""
        return to_repeat(self.hits)[:MOST_MISTAKES]

    @property
    def groups(self) -> list[Group]:
        """Students with the same failing claims, of which no known mistake is the cause."""
        return self.tally.groups

    @property
    def misses(self) -> list[Miss]:
        """The claims that fail most often without a known mistake."""
        ranked = sorted(self.unknown.values(), key=lambda each: -each.count)
        return ranked[:MOST_CLAIMS]

    def add(self, student: str, found: ExerciseVerdict, told: Cell, mark: Mark) -> None:
        """Count one student's result."""
        self.right += told.right
        self.wrong += told.begun and not told.right
        self.unbegun += not told.begun
        self.score += mark.score
        if told.begun and is_unreadable(found):
            self.unread += 1
        elif told.begun:
            self.lost += self.most - mark.score
        self.tally.add(student, costs(found, mark))
        if told.begun and told.claims:
            self.tally.add_unexplained(student, found, mark)
            self._add_claims(found)

    def _add_claims(self, found: ExerciseVerdict) -> None:
        for each in found.judged:
            if each.name not in self.times:
                self.times[each.name] = Timing(_sentence(each.name))
            self.times[each.name].add(each.seconds)
        for each in found.unexplained:
            self._add_unknown(each)

    def _add_unknown(self, claim: ClaimVerdict) -> None:
        told = claim.message.claim if claim.message else ""
        miss = Miss(clean(told) or _sentence(claim.plain_name))
        self.unknown.setdefault(claim.plain_name, miss).count += 1


@dataclass
class ProofCount:
    """How well the class tests one exercise."""

    exercise: Exercise
    count: int = 0
    refusing: int = 0  # proofs that refuse a right answer
    missed: Counter[str] = field(default_factory=Counter)  # by the title of a trap

    def add(self, found: Proved) -> None:
        """Count one more proof."""
        self.count += 1
        self.refusing += bool(found.refusing)
        caught = {} if found.refusing else found.caught
        self.missed.update(title for slug, title in found.traps if slug not in caught)

    @property
    def most_missed(self) -> list[tuple[str, int]]:
        """Traps and how many proofs miss them, the most missed first."""
        return sorted(self.missed.items(), key=lambda each: (-each[1], each[0]))


class Counts:
    """Everything that is counted in one pass over the verdicts."""

    def __init__(self, points: Mapping[str, float]) -> None:
        self.exercises = {slug: Count(exercises()[slug], most) for slug, most in points.items()}
        self.scores: list[float] = []
        self.lost: list[Flag] = []
        self.tampered: list[Flag] = []
        self.left_over: list[Flag] = []
        self.flagged: list[Flag] = []
        self.proofs: dict[str, ProofCount] = {}

    def add(self, verdict: SubmissionVerdict, cells: Mapping[str, Cell]) -> None:
        """Count one more submission."""
        name = clean(verdict.student)
        if verdict.problem:
            self.lost.append(Flag(name, "", clean(verdict.problem)))
            return
        self.scores.append(verdict.score)
        for found, mark in zip(verdict.exercises, verdict.marks_by_claims, strict=True):
            self.exercises[found.slug].add(name, found, cells[found.slug], mark)
        for proved in verdict.begun_proofs:
            count = self.proofs.setdefault(proved.slug, ProofCount(exercises()[proved.slug]))
            count.add(proved)
        self.tampered += _flags(name, remarks.tampering(verdict))
        self.left_over += _flags(name, remarks.left_over(verdict))
        self.flagged += _flags(name, remarks.flags(verdict))

    @property
    def mean(self) -> float:
        """Of the scores."""
        return mean(self.scores) if self.scores else 0.0

    @property
    def median(self) -> float:
        """Of the scores."""
        return median(self.scores) if self.scores else 0.0

    @property
    def to_repeat(self) -> list[Count]:
        """The exercises that cost most points, among those who started them and could be read."""
        wrong = [each for each in self.exercises.values() if each.lost > 0]
        return sorted(wrong, key=lambda each: -each.lost)[:MOST_REPEATED]

    @property
    def repeated(self) -> list[Hit]:
        """The mistakes that most students made, in whichever exercise."""
        every = [hit for each in self.exercises.values() for hit in each.hits]
        return to_repeat(sorted(every, key=commonest))[:MOST_MISTAKES]

    @property
    def slowest(self) -> list[tuple[Exercise, Timing]]:
        """The claims that took longest, on average."""
        counts = self.exercises.values()
        every = [(count.exercise, each) for count in counts for each in count.times.values()]
        return sorted(every, key=lambda pair: -pair[1].mean)[:SLOWEST]


def _sentence(name: str) -> str:
    return name.removeprefix("test_").replace("_", " ")


def _flags(student: str, told: Iterable[Remark]) -> Iterator[Flag]:
    return (Flag(student, each.places, clean(each.text)) for each in told)
