"""The row of each student in the class report, which is much smaller than a verdict."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from kata.class_verdict import MISSING, SubmissionVerdict
from kata.grading.reports import remarks
from kata.text import clean
from kata.verdict import ExerciseVerdict, State

NOT_READ = "not read"
BEGUN_NOT = -1.0  # sorts below a share of 0


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

    @property
    def key(self) -> float:
        """What a column is sorted by."""
        return round(self.share, 4) if self.begun else BEGUN_NOT


@dataclass(frozen=True, slots=True)
class Student:
    """A row of the table."""

    name: str
    status: str
    score: float
    cells: tuple[Cell, ...]
    mistakes: tuple[str, ...]
    flags: tuple[str, ...]
    notes: tuple[str, ...]
    seconds: float = 0.0
    earned: float = 0.0  # before changes of the mark
    changes: tuple[str, ...] = ()  # of the mark, and comments
    section: str = ""

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
        score = self.score if self.graded else BEGUN_NOT
        shares = [each.key for each in self.cells]
        return [self.name, score, self.status, *shares, len(self.mistakes), len(self.flags)]

    @property
    def kinds(self) -> list[str]:
        """The filters that this row matches."""
        states = {each.word for each in self.cells}
        known = {"mistakes": self.mistakes, "flags": self.flags, "notes": self.notes,
                 "changes": self.changes}  # fmt: skip
        right = {"right"} if self.cells and all(each.right for each in self.cells) else set()
        return sorted({self.status, *states, *right, *(name for name in known if known[name])})

    @property
    def text(self) -> str:
        """What a search looks at."""
        parts = [self.name, *self.mistakes, *self.flags, *self.notes, *self.changes, self.section]
        return " ".join(filter(None, parts))


def student(
    verdict: SubmissionVerdict, points: Mapping[str, float], cells: Mapping[str, Cell]
) -> Student:
    """The row of a verdict, with a cell for each exercise."""
    missing = _cell(State.NOT_STARTED, 0, 0)
    return Student(
        name=clean(verdict.student),
        status=verdict.status,
        score=verdict.score,
        cells=tuple(cells.get(slug, missing) for slug in points),
        mistakes=_titles(verdict),
        flags=tuple(clean(each.text) for each in remarks.seen(verdict)),
        notes=tuple(map(clean, remarks.on_reading(verdict))),
        seconds=verdict.seconds,
        earned=verdict.earned,
        changes=tuple(map(clean, remarks.changes(verdict, reasons=True))),
        section=clean(verdict.section),
    )


def cell(verdict: ExerciseVerdict) -> Cell:
    """Of one exercise."""
    counts = (0, 0) if verdict.is_whole else (verdict.held, len(verdict.judged))
    return _cell(verdict.state, *counts)


_cell = cache(Cell)  # one shared object for equal cells: a large class has few different ones


def _titles(verdict: SubmissionVerdict) -> tuple[str, ...]:
    named = (each.title for exercise in verdict.exercises for each in exercise.mistakes)
    return tuple(dict.fromkeys(named))
