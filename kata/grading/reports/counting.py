"""What a class has in common: which mistakes, what they cost, and what no known mistake explains.

`terminal` and `prices` each keep a `Tally` of their own, and `class_page` the `Counts` of a report,
with a tally for each exercise. All are given one verdict after the other, and keep none.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from kata.class_verdict import SubmissionVerdict
from kata.course.curriculum import Exercise, exercises
from kata.grading.reports import wording
from kata.grading.reports.wording import EITHER_OR, Remark
from kata.grading.rubric import named_mistakes, worth
from kata.points import Mark
from kata.proved import Proved
from kata.text import clean
from kata.verdict import ClaimVerdict, ExerciseVerdict, Mistake, State

# Mistakes that say nothing about what was taught: what was in the way of running the code.
IN_THE_WAY = {
    *("package-not-installed", "breakpoint-left-over", "plot-left-over"),
    *("file-not-allowed", "exit-left-over", "input-left-over"),
}
ABSENT = re.compile(r"ex\w+\.py has no `\w+`.*")  # as the judge says it of a function or a class
MOST_REPEATED = 5  # exercises
MOST_MISTAKES = 3  # to repeat: in all, and of each exercise
MOST_CLAIMS = 5  # of one exercise
SLOWEST = 10
Flag = tuple[str, Remark]  # a student, and something to look at


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
        return EITHER_OR.join(mistake.title for mistake in self.mistakes)

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
        if not exercise.is_whole:
            self._add_unexplained(student, exercise, mark)

    def _add_unexplained(self, student: str, exercise: ExerciseVerdict, mark: Mark) -> None:
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
        return sorted(self._hits.values(), key=_commonest)

    @property
    def groups(self) -> list[Group]:
        """What most students have first; a single student is no group."""
        several = (group for group in self._groups.values() if len(group.students) > 1)
        return sorted(several, key=_commonest)


def _commonest(cost: Hit | Group) -> tuple[int, float, str, str]:
    text = cost.title if isinstance(cost, Hit) else cost.sentence
    return -len(cost.students), -round(cost.lost, 6), cost.slug, text


def to_repeat(hits: Sequence[Hit]) -> list[Hit]:
    """The mistakes that cost something and that a lesson can mend."""
    return [hit for hit in hits if hit.taught and hit.lost > 0]


@dataclass
class Miss:
    """A claim that fails where no mistake is known."""

    sentence: str
    count: int = 0


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


class Count(Tally):
    """How the class did in one exercise."""

    def __init__(self, exercise: Exercise, most: float) -> None:
        super().__init__()
        self.exercise, self.most = exercise, most
        self.right = 0
        self.wrong = 0  # started, and not all of it right
        self.unread = 0  # of these: what was handed in is no Python
        self.unbegun = 0
        self.lost = 0.0  # points, by those whose work could be read
        self.score = 0.0
        self.unknown: dict[str, Miss] = {}
        self.times: dict[str, Timing] = {}

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
    def repeated(self) -> list[Hit]:
        """The mistakes to speak about first."""
        return to_repeat(self.hits)[:MOST_MISTAKES]

    @property
    def misses(self) -> list[Miss]:
        """The claims that fail most often without a known mistake."""
        return sorted(self.unknown.values(), key=lambda miss: -miss.count)[:MOST_CLAIMS]

    def add(self, student: str, exercise: ExerciseVerdict, mark: Mark) -> None:
        """Count one student's result."""
        super().add(student, exercise, mark)
        self.score += mark.score
        if exercise.state is State.NOT_STARTED:
            self.unbegun += 1
            return
        self.right += exercise.done
        self.wrong += not exercise.done
        if _is_unreadable(exercise):
            self.unread += 1
        else:
            self.lost += self.most - mark.score
        if not exercise.is_whole:
            self._add_claims(exercise)

    def _add_claims(self, exercise: ExerciseVerdict) -> None:
        for claim in exercise.judged:
            self.times.setdefault(claim.name, Timing(claim.in_words)).add(claim.seconds)
        for claim in exercise.unexplained:
            self.unknown.setdefault(claim.plain_name, Miss(_sentence(claim))).count += 1


def _is_unreadable(exercise: ExerciseVerdict) -> bool:
    """Whether no claim could be made, as of what is no Python: nobody knows what stands there."""
    broken = exercise.count(State.ERROR) or exercise.count(State.NOT_GRADABLE)
    return exercise.is_whole and bool(broken)


def _sentence(claim: ClaimVerdict) -> str:
    return clean(claim.message.claim if claim.message else "") or claim.plain_words


@dataclass
class ProofCount:
    """How well the class tests one exercise."""

    exercise: Exercise
    count: int = 0
    refusing: int = 0  # proofs that refuse a right answer
    missed: Counter[str] = field(default_factory=Counter)  # by the title of a trap

    def add(self, proof: Proved) -> None:
        """Count one more proof."""
        self.count += 1
        self.refusing += bool(proof.refusing)
        caught = frozenset[str]() if proof.refusing else proof.caught
        self.missed.update(title for slug, title in proof.traps if slug not in caught)

    @property
    def most_missed(self) -> list[tuple[str, int]]:
        """Traps and how many proofs miss them, the most missed first."""
        return sorted(self.missed.items(), key=lambda pair: (-pair[1], pair[0]))


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

    def add(self, verdict: SubmissionVerdict) -> None:
        """Count one more submission."""
        name = clean(verdict.student)
        if verdict.problem:
            self.lost.append((name, Remark("", verdict.problem)))
            return
        self.scores.append(verdict.score)
        for exercise, mark in zip(verdict.exercises, verdict.marks_by_claims, strict=True):
            self.exercises[exercise.slug].add(name, exercise, mark)
        for proof in verdict.begun_proofs:
            count = self.proofs.setdefault(proof.slug, ProofCount(exercises()[proof.slug]))
            count.add(proof)
        self.tampered += ((name, remark) for remark in wording.tampering(verdict))
        self.left_over += ((name, remark) for remark in wording.left_over(verdict))
        self.flagged += ((name, remark) for remark in wording.flags(verdict))

    @property
    def to_repeat(self) -> list[Count]:
        """The exercises that cost most points, among those who started them and could be read."""
        wrong = [count for count in self.exercises.values() if count.lost > 0]
        return sorted(wrong, key=lambda count: -count.lost)[:MOST_REPEATED]

    @property
    def repeated(self) -> list[Hit]:
        """The mistakes that most students made, in whichever exercise."""
        hits = [hit for count in self.exercises.values() for hit in count.hits]
        return to_repeat(sorted(hits, key=_commonest))[:MOST_MISTAKES]

    @property
    def slowest(self) -> list[tuple[Exercise, Timing]]:
        """The claims that took longest, on average."""
        counts = self.exercises.values()
        pairs = [(count.exercise, timing) for count in counts for timing in count.times.values()]
        return sorted(pairs, key=lambda pair: -pair[1].mean)[:SLOWEST]
