"""What the report on a class shows: a small row of each student, and all that is counted."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from kata.class_verdict import MISSING, ClassVerdict, SubmissionVerdict
from kata.course.curriculum import Exercise, exercises
from kata.grading.reports import wording
from kata.grading.reports.counting import Hit, Tally, commonest, is_unreadable, to_repeat
from kata.grading.reports.wording import Remark
from kata.points import Mark
from kata.proved import Proved
from kata.text import clean
from kata.verdict import ClaimVerdict, ExerciseVerdict, State

NOT_READ = "not read"
NOT_BEGUN = -1.0  # sorts below a share of 0
MOST_REPEATED = 5  # exercises
MOST_MISTAKES = 3  # to repeat: in all, and of each exercise
MOST_CLAIMS = 5  # of one exercise
SLOWEST = 10


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
        """Its state, as people say it of an exercise."""
        return NOT_READ if self.state is State.NOT_GRADABLE else self.state.value

    @property
    def right(self) -> bool:
        """Whether every claim holds."""
        return self.claims > 0 and self.held == self.claims

    @property
    def share(self) -> float:
        """The share of claims that hold."""
        return self.held / self.claims if self.claims else 0.0


_cell = cache(Cell)  # one shared object for equal cells: a large class has few different ones


def cell(exercise: ExerciseVerdict) -> Cell:
    """Of one exercise."""
    counts = (0, 0) if exercise.is_whole else (exercise.held, len(exercise.judged))
    return _cell(exercise.state, *counts)


class Student:
    """A row of the table, which is much smaller than a verdict, with a cell for each exercise."""

    def __init__(
        self, verdict: SubmissionVerdict, points: Mapping[str, float], cells: Mapping[str, Cell]
    ) -> None:
        titles = (mistake.title for exercise in verdict.exercises for mistake in exercise.mistakes)
        remarks = wording.all_remarks(verdict)
        self.name = clean(verdict.student)
        self.status = verdict.status
        self.score = verdict.score
        self.earned = verdict.earned  # before changes of the mark
        self.seconds = verdict.seconds
        self.section = clean(verdict.section)
        self.cells = tuple(cells.get(slug, _cell(State.NOT_STARTED, 0, 0)) for slug in points)
        self.mistakes = tuple(dict.fromkeys(titles))
        self.flags = tuple(clean(remark.text) for remark in remarks)
        self.notes = tuple(map(clean, wording.reading_notes(verdict)))
        self.changes = tuple(map(clean, wording.changes(verdict, reasons=True)))

    @property
    def graded(self) -> bool:
        """Whether there is a mark."""
        return self.status != State.NOT_GRADABLE

    @property
    def handed_in(self) -> bool:
        """Whether there is any work: a mark can be given without."""
        return self.status != MISSING

    @property
    def keys(self) -> list[str | float]:
        """What each column is sorted by."""
        score = self.score if self.graded else NOT_BEGUN
        shares = [round(cell.share, 4) if cell.begun else NOT_BEGUN for cell in self.cells]
        return [self.name, score, self.status, *shares, len(self.mistakes), len(self.flags)]

    @property
    def kinds(self) -> list[str]:
        """The filters that this row matches."""
        kinds = {self.status, *(cell.word for cell in self.cells)}
        if self.cells and all(cell.right for cell in self.cells):
            kinds.add("right")
        names = ("mistakes", "flags", "notes", "changes")
        return sorted(kinds.union(name for name in names if getattr(self, name)))

    @property
    def text(self) -> str:
        """What a search looks at."""
        parts = [self.name, *self.mistakes, *self.flags, *self.notes, *self.changes, self.section]
        return " ".join(filter(None, parts))


def sections(students: Sequence[Student], verdicts: ClassVerdict) -> list[dict[str, Any]]:
    """Those whom a roster puts together, and whom it puts nowhere if there are any."""
    names = [*map(clean, verdicts.sections), ""] if verdicts.sections else []
    table = (_section(name, students, verdicts) for name in names)
    return [section for section in table if section["name"] or section["everybody"]]


def _section(name: str, students: Sequence[Student], verdicts: ClassVerdict) -> dict[str, Any]:
    members = [student for student in students if student.section == name]
    present = [student for student in members if student.handed_in]
    absent = sum(clean(person.section) == name for person in verdicts.missing)
    everybody = len(members) + absent
    scores = [student.score for student in present if student.graded]
    # Who has handed in nothing is missing, with a mark all the same or without.
    missing = everybody - len(present)
    return {"name": name, "everybody": everybody, "missing": missing, "scores": scores}


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
        """Those to speak about first."""
        return to_repeat(self.hits)[:MOST_MISTAKES]

    @property
    def misses(self) -> list[Miss]:
        """The claims that fail most often without a known mistake."""
        return sorted(self.unknown.values(), key=lambda miss: -miss.count)[:MOST_CLAIMS]

    def count(self, student: str, exercise: ExerciseVerdict, cell: Cell, mark: Mark) -> None:
        """Count one student's result."""
        self.right += cell.right
        self.wrong += cell.begun and not cell.right
        self.unbegun += not cell.begun
        self.score += mark.score
        if cell.begun and is_unreadable(exercise):
            self.unread += 1
        elif cell.begun:
            self.lost += self.most - mark.score
        self.add(student, exercise, mark)
        if cell.begun and cell.claims:
            self.add_unexplained(student, exercise, mark)
            for claim in exercise.judged:
                self.times.setdefault(claim.name, Timing(claim.in_words)).add(claim.seconds)
            for claim in exercise.unexplained:
                self.unknown.setdefault(claim.plain_name, _miss(claim)).count += 1


def _miss(claim: ClaimVerdict) -> Miss:
    sentence = clean(claim.message.claim if claim.message else "")
    return Miss(sentence or claim.in_words.split("[")[0])


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


@dataclass(frozen=True)
class Flag:
    """Something to look at, with its exercises."""

    student: str
    places: str
    text: str


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
        for exercise, mark in zip(verdict.exercises, verdict.marks_by_claims, strict=True):
            self.exercises[exercise.slug].count(name, exercise, cells[exercise.slug], mark)
        for proof in verdict.begun_proofs:
            count = self.proofs.setdefault(proof.slug, ProofCount(exercises()[proof.slug]))
            count.add(proof)
        self.tampered += _flags(name, wording.tampering(verdict))
        self.left_over += _flags(name, wording.left_over(verdict))
        self.flagged += _flags(name, wording.flags(verdict))

    @property
    def to_repeat(self) -> list[Count]:
        """The exercises that cost most points, among those who started them and could be read."""
        wrong = [count for count in self.exercises.values() if count.lost > 0]
        return sorted(wrong, key=lambda count: -count.lost)[:MOST_REPEATED]

    @property
    def repeated(self) -> list[Hit]:
        """The mistakes that most students made, in whichever exercise."""
        hits = [hit for count in self.exercises.values() for hit in count.hits]
        return to_repeat(sorted(hits, key=commonest))[:MOST_MISTAKES]

    @property
    def slowest(self) -> list[tuple[Exercise, Timing]]:
        """The claims that took longest, on average."""
        counts = self.exercises.values()
        pairs = [(count.exercise, timing) for count in counts for timing in count.times.values()]
        return sorted(pairs, key=lambda pair: -pair[1].mean)[:SLOWEST]


def _flags(student: str, remarks: Iterable[Remark]) -> Iterator[Flag]:
    return (Flag(student, remark.places, clean(remark.text)) for remark in remarks)
