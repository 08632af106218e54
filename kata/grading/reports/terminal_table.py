"""What an instructor sees at the end of a run, and how one mark came about."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from statistics import mean, median

from kata.grading.reports import proofs, remarks
from kata.grading.reports.tables import number
from kata.proved import Proved
from kata.terminal.style import Style
from kata.text import line
from kata.verdict import (
    GRADED,
    ClaimVerdict,
    ExerciseVerdict,
    Mark,
    Message,
    State,
    SubmissionVerdict,
)
from kata.words import say

MOST_ROWS = 40
MOST_NOTES = 4  # lines about one submission
MOST_MISTAKES = 5
NARROWEST_NAME, WIDEST_NAME = 12, 32
IN_A_GROUP = 5  # exercises; more marks in a row cannot be counted at a glance
DIGITS = 2


@dataclass(frozen=True)
class Row:
    """What the table shows of one submission."""

    student: str
    score: float
    most: float
    status: str
    states: tuple[State, ...]  # of its exercises
    told: tuple[str, ...]
    mistakes: tuple[str, ...]

    @property
    def graded(self) -> bool:
        """Whether it has a mark."""
        return self.status != State.NOT_GRADABLE


def row(verdict: SubmissionVerdict) -> Row:
    """The part of a verdict that is kept: a large class has many."""
    states = tuple(each.state for each in verdict.exercises)
    told = (*remarks.tampering(verdict), *remarks.notes(verdict), *remarks.flags(verdict))
    head = verdict.student, verdict.score, verdict.most, verdict.status
    return Row(*head, states, tuple(map(str, told)), tuple(map(str, remarks.mistakes(verdict))))


def table(rows: Sequence[Row], now: int, grades: Path, style: Style) -> Iterator[str]:
    """A line for each submission with its remarks, then a summary of the class.

    Of a large class only the submissions with remarks.
    """
    shown = rows if len(rows) <= MOST_ROWS else [each for each in rows if each.told]
    yield from _rows(shown[:MOST_ROWS], style)
    if more := len(rows) - len(shown[:MOST_ROWS]):
        yield say("reports.more", count=more)
    yield ""
    graded = [each for each in rows if each.graded]
    for each in (*_summary(graded), *_counts(len(rows), len(graded), now, grades)):
        yield from style.wrap(_plain(each, style))


def _rows(rows: Sequence[Row], style: Style) -> Iterator[str]:
    marks = [_strip(each, style) for each in rows]
    scores = [_score(each) for each in rows]
    last = max(map(len, [*marks, say("reports.exercises")]))
    middle = max(map(len, [*scores, say("reports.score")]))
    room = max(NARROWEST_NAME, min(style.width - middle - last - 4, WIDEST_NAME))
    names = [_short(each.student, room, style) for each in rows]
    wide = max(map(_width, [*names, say("reports.student")]))
    head = _padded(say("reports.student"), wide), f"{say('reports.score'):>{middle}}"
    yield style.paint("  ".join([*head, say("reports.exercises")]), "dim")
    for name, score, strip, each in zip(names, scores, marks, rows, strict=True):
        yield f"{_padded(name, wide)}  {score:>{middle}}  {strip}".rstrip()
        yield from _told(each, style)


def _told(row: Row, style: Style) -> Iterator[str]:
    status = [] if row.status == GRADED else [row.status]
    first, *others = [*row.told, ""]
    lines = [": ".join(filter(None, [*status, first])), *filter(None, others)]
    for each in islice(filter(None, lines), MOST_NOTES):
        yield from style.wrap(_plain(each, style), 4)
    if more := len(lines) - MOST_NOTES:
        yield from [f"    {say('reports.more', count=more)}"] if more > 0 else []


def _strip(row: Row, style: Style) -> str:
    """A mark for each exercise."""
    marks = "".join(style.marks.get(each, style.marks[State.FAILED]) for each in row.states)
    return " ".join(marks[each : each + IN_A_GROUP] for each in range(0, len(marks), IN_A_GROUP))


def _score(row: Row) -> str:
    score, most = number(row.score, DIGITS), number(row.most, DIGITS)
    return f"{score} / {most}" if row.graded else "-"


def _summary(rows: Sequence[Row]) -> Iterator[str]:
    """Mean, median and frequent mistakes."""
    if len(rows) > 1:
        scores = [each.score for each in rows]
        found = {"mean": mean(scores), "median": median(scores), "most": rows[0].most}
        yield say("reports.summary", **{name: number(each, DIGITS) for name, each in found.items()})
    often = Counter(each for row in rows for each in row.mistakes).most_common(MOST_MISTAKES)
    for mistake, count in often:
        if count > 1:
            yield say("reports.often", count=count, mistake=mistake)


def _counts(count: int, graded: int, now: int, grades: Path) -> Iterator[str]:
    key = "reports.done-before" if graded > now else "reports.done"
    yield say(key, count=count, graded=graded, before=graded - now)
    if lost := count - graded:
        yield say("reports.lost", count=lost)
    yield say("reports.where", path=grades / "grades.csv")


def explained(verdict: SubmissionVerdict, style: Style) -> Iterator[str]:
    """Claim by claim, with what was expected and what was returned."""
    name = _plain(verdict.student, style)
    score, most = number(verdict.score), number(verdict.most)
    title = f"{name}: {verdict.status}" if verdict.problem else name
    yield style.paint(title, "bold")
    for each in (*remarks.on_reading(verdict), *remarks.changes(verdict, reasons=True)):
        yield from style.wrap(_plain(each, style), 2)
    for exercise, mark in zip(verdict.exercises, verdict.marks, strict=True):
        yield ""
        yield from _exercise(exercise, mark, style)
    for proved in verdict.begun_proofs:
        yield from ["", f"{proofs.title(proved)}:"]
        for text in (*proofs.told(proved), *_missed(proved)):
            yield from style.wrap(_plain(text, style), 2)
    if verdict.exercises:
        yield from ["", say("reports.total", student=name, score=score, most=most)]


def _missed(proved: Proved) -> Iterator[str]:
    """For the instructor, by name."""
    for each in proved.missed:
        yield say("reports.proof-misses", title=each)


def _exercise(exercise: ExerciseVerdict, mark: Mark, style: Style) -> Iterator[str]:
    about = {"slug": exercise.slug, "score": number(mark.score), "most": number(mark.most)}
    if exercise.is_whole:
        yield say("reports.earned-none", **about)
        yield from _evidence(exercise.claims[0].message, 2, style)
        return
    yield say("reports.earned", **about, held=exercise.held, claims=len(exercise.claims))
    for each in exercise.stand_ins:
        yield f"  {say('reports.stood-in', slug=each)}"
    for claim in exercise.claims:
        yield from _claim(claim, style)
    for text in _about(exercise):
        yield from style.wrap(_plain(text, style), 2)


def _about(exercise: ExerciseVerdict) -> Iterator[str]:
    for mistake in exercise.mistakes:
        yield say("reports.mistake", title=mistake.title, why=mistake.why)
    yield from remarks.attempts(exercise)
    yield from exercise.flags


def _claim(claim: ClaimVerdict, style: Style) -> Iterator[str]:
    mark = style.marks.get(claim.state, style.marks[State.FAILED])
    yield f"  {mark} {claim.name.removeprefix('test_').replace('_', ' ')}"
    yield from _evidence(claim.message, 6, style)


def _evidence(message: Message | None, margin: int, style: Style) -> Iterator[str]:
    """The inputs of the claim and what came out; or the message about the file as a whole."""
    if message:
        told = [message.inputs, message.evidence]
        for text in filter(None, told if any(told) else [message.claim]):
            yield from style.wrap(_plain(text, style), margin)


def _plain(text: str, style: Style) -> str:
    """Text of strangers, without control characters, and in ASCII if need be."""
    plain = line(text)
    return plain if style.unicode else plain.encode("ascii", "replace").decode()


def _short(name: str, room: int, style: Style) -> str:
    plain = _plain(name, style)
    return plain if _width(plain) <= room else f"{_padded(plain, room - 3)}..."


def _width(text: str) -> int:
    """Columns in a terminal."""
    from rich.cells import cell_len

    return cell_len(text)


def _padded(text: str, wide: int) -> str:
    """The text, padded or cut to this many columns."""
    from rich.cells import set_cell_size

    return set_cell_size(text, wide)
