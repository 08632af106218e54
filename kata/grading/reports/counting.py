"""The counts of a class: a row for every student, and what the students have in common.

`formats` adds one verdict after the other to the `Counts`, which keep none, while it writes tables.
`class_page` and `terminal` show them, `formats` writes what mistakes cost, and `uploads` lists the
students without feedback.
"""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cache

from kata.class_verdict import ClassVerdict, SubmissionVerdict
from kata.course.curriculum import Exercise, exercises
from kata.grading.reports import wording
from kata.grading.reports.wording import EITHER_OR, Remark
from kata.grading.rubric import named_mistakes, priced_mistakes, worth
from kata.marks import Mark, Proved
from kata.text import clean
from kata.verdict import ClaimVerdict, ExerciseVerdict, Message, Mistake, State

# Mistakes that say nothing about the lessons: they were in the way of running the code.
IN_THE_WAY = {
    *("package-not-installed", "breakpoint-left-over", "plot-left-over"),
    *("file-not-allowed", "exit-left-over", "input-left-over"),
}
ABSENT = re.compile(r"ex\w+\.py has no `\w+`.*")  # as the judge says it of a function or a class
NOT_READ = "not read"
MOST_REPEATED = 5  # exercises
MOST_MISTAKES = 3  # to repeat: in all, and of an exercise
MOST_CLAIMS = 5  # of one exercise
SLOWEST = 10
Flag = tuple[str, Remark]  # a student, and something to look at


@dataclass
class Cost:
    """A failure that students have in common in an exercise, and the points that it cost.

    Attributes:
        slug: of the exercise.
        title: of the mistake; or the text of the first claim that no mistake explains.
        mistakes: the mistake, or several that are indistinguishable.
        claims: how many fail, if no mistake explains them. If the message of the first says more
            than which numbers differ, such as an error, it is the same for all these students.
        evidence: the call and its result, of the first student.
        absent: whether the function or class of the claim is missing, which explains itself.
        students: their names.
        lost: points, by the claims that fail by it.
    """

    slug: str
    title: str
    mistakes: tuple[Mistake, ...] = ()
    claims: int = 0
    evidence: str = ""
    absent: bool = False
    students: list[str] = field(default_factory=list)
    lost: float = 0.0


def _hit(slug: str, mistakes: Iterable[Mistake]) -> Cost:
    alone = tuple(replace(mistake, explains=()) for mistake in mistakes)
    return Cost(slug, EITHER_OR.join(mistake.title for mistake in alone), alone)


def _group(slug: str, claims: int, first: ClaimVerdict) -> Cost:
    message = first.message or Message("")
    absent = bool(ABSENT.fullmatch(message.evidence))
    title = clean(message.evidence if absent else message.claim) or first.in_words
    evidence = clean("\n".join(filter(None, [message.inputs, message.evidence])))
    return Cost(slug, title, claims=claims, evidence=evidence, absent=absent)


def _commonest(costs: Iterable[Cost]) -> list[Cost]:
    """Sort costs by the number of students, then by points."""
    return sorted(costs, key=lambda cost: (
        -len(cost.students), -round(cost.lost, 6), cost.slug, cost.title
    ))  # fmt: skip


def _to_repeat(hits: Iterable[Cost]) -> list[Cost]:
    """Return the commonest mistakes that cost something and that a lesson can mend."""
    taught = (hit for hit in hits if not IN_THE_WAY & {mistake.slug for mistake in hit.mistakes})
    return [hit for hit in taught if hit.lost > 0][:MOST_MISTAKES]


@dataclass
class Timing:
    """The times that a claim took."""

    name: str
    total: float = 0.0
    longest: float = 0.0
    count: int = 0

    @property
    def mean(self) -> float:
        """The average in seconds."""
        return self.total / self.count

    def add(self, seconds: float) -> None:
        """Count one more."""
        self.total += seconds
        self.longest = max(self.longest, seconds)
        self.count += 1


class Count:
    """The results of the class in one exercise."""

    def __init__(self, exercise: Exercise, most: float) -> None:
        self.exercise, self.most = exercise, most
        self.right = 0
        self.wrong = 0  # started, and not all of it right
        self.unread = 0  # of these: the file is no Python
        self.unbegun = 0
        self.lost = 0.0  # points, of readable work
        self.score = 0.0
        self.unexplained: Counter[str] = Counter()  # failing claims that no mistake explains
        self._sentences: dict[str, str] = {}  # of these claims
        self.times: dict[str, Timing] = {}
        self._hits: dict[tuple[str, ...], Cost] = {}
        self._groups: dict[tuple[str, ...], Cost] = {}

    def add(self, student: str, exercise: ExerciseVerdict, mark: Mark) -> None:
        """Count one student's result."""
        self.score += mark.score
        self._add_mistakes(student, exercise, mark)
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
            self._add_claims(student, exercise, mark)

    def _add_mistakes(self, student: str, exercise: ExerciseVerdict, mark: Mark) -> None:
        """Count what mistakes cost; two at once count with the cost of both."""
        points = {charge.mistakes: charge.points for charge in mark.charges}
        for mistakes, _ in named_mistakes(exercise):
            slugs = tuple(mistake.slug for mistake in mistakes)
            hit = self._hits.setdefault(slugs, _hit(exercise.slug, mistakes))
            hit.students.append(student)
            hit.lost += points.get(slugs, 0.0)

    def _add_claims(self, student: str, exercise: ExerciseVerdict, mark: Mark) -> None:
        for claim in exercise.judged:
            self.times.setdefault(claim.name, Timing(claim.in_words)).add(claim.seconds)
        if not (claims := exercise.unexplained):
            return
        for claim in claims:
            self.unexplained[claim.plain_name] += 1
            self._sentences.setdefault(claim.plain_name, _sentence(claim))
        names = [claim.name for claim in claims]
        lost = exercise.lost_by(names)
        group = _group(exercise.slug, len(lost), claims[0])
        group = self._groups.setdefault((claims[0].evidence, *names), group)
        group.students.append(student)
        group.lost += mark.most * worth(exercise, lost)

    @property
    def begun(self) -> int:
        """The number of students who have started it."""
        return self.right + self.wrong

    @property
    def everybody(self) -> int:
        """The number of graded students."""
        return self.begun + self.unbegun

    @property
    def mean(self) -> float:
        """The average score."""
        return self.score / self.everybody if self.everybody else 0.0

    @property
    def hits(self) -> list[Cost]:
        """The mistakes, the commonest first."""
        return _commonest(self._hits.values())

    @property
    def groups(self) -> list[Cost]:
        """The unexplained failures of more than one student, the commonest first."""
        groups = (group for group in self._groups.values() if len(group.students) > 1)
        return _commonest(groups)

    @property
    def repeated(self) -> list[Cost]:
        """The mistakes to speak about first."""
        return _to_repeat(self.hits)

    @property
    def misses(self) -> list[tuple[str, int]]:
        """The claims that fail most often without an explanation, and how often."""
        counts = self.unexplained.most_common(MOST_CLAIMS)
        return [(self._sentences[name], count) for name, count in counts]


def _is_unreadable(exercise: ExerciseVerdict) -> bool:
    """Return whether no claim could be made about a file, as if it is no Python."""
    broken = exercise.count(State.ERROR) or exercise.count(State.NOT_GRADABLE)
    return exercise.is_whole and bool(broken)


def _sentence(claim: ClaimVerdict) -> str:
    return clean(claim.message.claim if claim.message else "") or claim.plain_words


@dataclass
class ProofCount:
    """The quality of a class's tests of one exercise."""

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


@dataclass(frozen=True, slots=True)
class Cell:
    """The result of an exercise; without claims if the file as a whole failed."""

    state: State
    held: int = 0
    claims: int = 0

    @property
    def begun(self) -> bool:
        """Whether the exercise was started."""
        return self.state is not State.NOT_STARTED

    @property
    def word(self) -> str:
        """The state of the exercise, in a word."""
        return NOT_READ if self.state is State.NOT_GRADABLE else self.state.value

    @property
    def right(self) -> bool:
        """Whether every claim holds."""
        return self.claims > 0 and self.held == self.claims

    @property
    def share(self) -> float:
        """The share of claims that hold."""
        return self.held / self.claims if self.claims else 0.0


_shared = cache(Cell)  # one object for equal cells: a large class has few different ones


def cell_of(exercise: ExerciseVerdict) -> Cell:
    """Return the cell of an exercise."""
    counts = (0, 0) if exercise.is_whole else (exercise.held, len(exercise.judged))
    return _shared(exercise.state, *counts)


class Student:
    """The row of a student, much smaller than the verdict, with a cell for every exercise."""

    def __init__(self, verdict: SubmissionVerdict, slugs: Iterable[str]) -> None:
        cells = {exercise.slug: cell_of(exercise) for exercise in verdict.exercises}
        titles = (mistake.title for exercise in verdict.exercises for mistake in exercise.mistakes)
        self.student, self.name = verdict.student, clean(verdict.student)
        self.status, self.graded, self.problem = verdict.status, verdict.graded, verdict.problem
        self.handed_in = not verdict.absent  # an instructor can mark a student without any work
        self.upload = verdict.upload
        self.score, self.most = verdict.score, verdict.most
        self.earned = verdict.earned  # before changes of the mark
        self.seconds = verdict.seconds
        self.section = clean(verdict.section)
        self.cells = tuple(cells.get(slug, _shared(State.NOT_STARTED, 0, 0)) for slug in slugs)
        self.mistakes = tuple(dict.fromkeys(titles))
        self.tampering = wording.tampering(verdict)
        self.left_over = wording.left_over(verdict)
        self.flagged = wording.flags(verdict)
        self.notes = tuple(map(clean, wording.reading_notes(verdict)))
        self.changes = tuple(map(clean, wording.changes(verdict, reasons=True)))
        self.broken = tuple(wording.broken_files(verdict))

    @property
    def states(self) -> list[State]:
        """The states of the exercises; none if nothing was graded."""
        return [cell.state for cell in self.cells if self.graded]

    @property
    def flags(self) -> list[str]:
        """All that an instructor may want to look at, the gravest first."""
        remarks = (*self.tampering, *self.left_over, *self.flagged)
        return [clean(remark.text) for remark in remarks]


class Counts:
    """The rows and counts of a class, made in one pass over the verdicts."""

    def __init__(self, verdicts: ClassVerdict) -> None:
        self.most = verdicts.most
        self.students: list[Student] = []
        self.exercises = {
            slug: Count(exercises()[slug], most) for slug, most in verdicts.points.items()
        }
        self.proofs: dict[str, ProofCount] = {}
        # By exercise and mistake: the prices that count at all, and the students without them.
        self.priced: set[tuple[str, str]] = set()
        self.unpriced: dict[tuple[str, str], list[str]] = {}

    def add(self, verdict: SubmissionVerdict) -> None:
        """Count one more submission."""
        student = Student(verdict, self.exercises)
        self.students.append(student)
        if verdict.absent or verdict.problem:
            return
        for exercise, mark in zip(verdict.exercises, verdict.marks_by_claims, strict=True):
            self.exercises[exercise.slug].add(student.name, exercise, mark)
            self._add_prices(student.student, exercise)
        for proof in verdict.begun_proofs:
            count = self.proofs.setdefault(proof.slug, ProofCount(exercises()[proof.slug]))
            count.add(proof)

    def _add_prices(self, student: str, exercise: ExerciseVerdict) -> None:
        priced = {mistake.slug for group in priced_mistakes(exercise) for mistake in group}
        self.priced |= {(exercise.slug, slug) for slug in priced}
        for mistake in exercise.mistakes:
            if mistake.slug not in priced:
                self.unpriced.setdefault((exercise.slug, mistake.slug), []).append(student)

    @property
    def present(self) -> list[Student]:
        """The students who submitted something."""
        return [student for student in self.students if student.handed_in]

    @property
    def scores(self) -> list[float]:
        """The scores of all graded work."""
        return [student.score for student in self.present if student.graded]

    @property
    def lost(self) -> list[Flag]:
        """The students without a mark, and the reasons."""
        return [(student.name, Remark("", student.problem)) for student in self.students
                if not student.graded]  # fmt: skip

    def remarks(self, kind: str) -> list[Flag]:
        """Return the remarks of one kind: tampering, left_over or flagged."""
        return [(student.name, remark) for student in self.students
                for remark in getattr(student, kind)]  # fmt: skip

    @property
    def to_repeat(self) -> list[Count]:
        """The exercises that cost most points in readable work."""
        wrong = [count for count in self.exercises.values() if count.lost > 0]
        return sorted(wrong, key=lambda count: -count.lost)[:MOST_REPEATED]

    @property
    def hits(self) -> list[Cost]:
        """The mistakes in all exercises, the commonest first."""
        return _commonest(hit for count in self.exercises.values() for hit in count.hits)

    @property
    def groups(self) -> list[Cost]:
        """The groups in all exercises, the largest first."""
        return _commonest(group for count in self.exercises.values() for group in count.groups)

    @property
    def repeated(self) -> list[Cost]:
        """The mistakes that most students made, in any exercise."""
        return _to_repeat(self.hits)

    @property
    def slowest(self) -> list[tuple[Exercise, Timing]]:
        """The claims that took longest, on average."""
        counts = self.exercises.values()
        pairs = [(count.exercise, timing) for count in counts for timing in count.times.values()]
        return sorted(pairs, key=lambda pair: -pair[1].mean)[:SLOWEST]
