"""The report of a run in the terminal, and the explanation of one mark.

`run` makes the `Report` of a run; the command line prints its `table`, or students `explained`.
Names and messages are strangers' texts: all go through `_plain`, so that no terminal obeys them.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import mean, median

from kata.class_verdict import GRADED, ClassVerdict, SubmissionVerdict
from kata.course.curriculum import exercises
from kata.grading.alike import Alike, Pair, pairs
from kata.grading.collecting.names import few
from kata.grading.reports import wording
from kata.grading.reports.counting import Cost, Counts, Student
from kata.grading.reports.wording import DIGITS, number, points
from kata.marks import Mark
from kata.terminal.style import Style
from kata.text import clean, line
from kata.verdict import ClaimVerdict, ExerciseVerdict, Message, State

MOST_ROWS = 40
MOST_NOTES = 4  # lines about one submission
MOST_PAIRS = 10
MOST_TOGETHER = 3  # names in a line about work that is alike
NARROWEST_NAME, WIDEST_NAME = 12, 32
IN_A_GROUP = 5  # exercises; more marks in a row cannot be counted at a glance
SMALLEST_CLASS = 5  # students; an exercise that none of so many has started was hardly assigned
STUDENT, SCORE, EXERCISES = "student", "score", "exercises"
SHOWN_FIRST = "in grades.csv; shown first: no mark, tampered, flags, notes, few points"
ALIKE_HEADING = "much the same work, which is a reason to talk and no proof:"
GRADED_AGAIN = {  # why verdicts of earlier runs do not count
    "choices": "everyone was graded again: limits, the seed, diagnosis or the reference has "
    "changed since the last run",
    "engine": "everyone was graded again: the kata, Python, torch or numpy has changed since the "
    "last run",
    "unknown": "everyone was graded again: what was graded here before is damaged, or was not "
    "written by you on this machine",
}


@dataclass(frozen=True)
class Report:
    """The results of a run."""

    verdicts: ClassVerdict
    counts: Counts
    now: int = 0  # graded in this run, the others in an earlier one
    outdated: str = ""  # why verdicts of earlier runs do not count; empty if they do
    alike: Alike = field(default_factory=dict)  # work that is alike
    notices: tuple[str, ...] = ()  # about rosters, deadlines and the like
    undecided: tuple[str, ...] = ()  # about names and times, for a person to decide
    renewed: tuple[str, ...] = ()  # exercises that were judged again for their suites
    changed: tuple[str, ...] = ()  # what has become of marks
    grades: Path = Path()  # where they are
    platform: str = ""  # that named the work

    @property
    def unbegun(self) -> list[str]:
        """The exercises that no student has started."""
        begun = (student.states for student in self.counts.students if student.graded)
        columns = zip(self.verdicts.points, zip(*begun, strict=True), strict=False)
        return [slug for slug, states in columns if set(states) == {State.NOT_STARTED}]

    @property
    def lost(self) -> int:
        """The number of submissions that could not be graded."""
        return len(self.counts.lost)

    def warnings(self) -> Iterator[str]:
        """Yield what may be a mistake of the instructor's, and what has changed."""
        yield from self.notices
        if self.outdated:
            yield GRADED_AGAIN[self.outdated]
        if self.renewed:
            yield (
                f"graded again for everyone: {_shorts(self.renewed)}, whose suite or catalogue has "
                "changed since the last run"
            )
        yield from self.changed
        if self.unbegun and len(self.counts.students) >= SMALLEST_CLASS:
            yield (
                f"no student has started {_shorts(self.unbegun)}, but they count towards the "
                "score: --only chooses the exercises that count"
            )

    def questions(self) -> Iterator[str]:
        """Yield the questions that only a person can decide, with the options that settle them."""
        if unread := [*self._unread()]:
            yield (
                f"not read, and so without points: {few(unread)}; ask for the files again, or give "
                "points with --overrules overrules.csv"
            )
        yield from self.undecided

    def _unread(self) -> Iterator[str]:
        """Yield the students who could not be graded, or not in all exercises, with these."""
        for student in self.counts.students:
            states = zip(self.verdicts.points, student.states, strict=False)
            slugs = [slug for slug, state in states if state is State.NOT_GRADABLE]
            if slugs or not student.graded:
                name = student.student
                yield f"{name} ({_shorts(slugs)})" if slugs else name


def _shorts(slugs: Iterable[str]) -> str:
    return ", ".join(exercises()[slug].short for slug in slugs)


# The table


def table(report: Report, style: Style) -> Iterator[str]:
    """Yield a line for every submission with its remarks, then a summary of the class.

    Of a large class the rows that need a person most come first, and work that is alike is listed
    once, below.
    """
    alike = {like.text for like in report.alike.values()}
    rows = [_Row(student, alike) for student in report.counts.students]
    large = len(rows) > MOST_ROWS
    first_rows = sorted(rows, key=lambda row: row.gravity)[:MOST_ROWS] if large else rows
    yield from _rows(first_rows, style, alone=large)
    if large:
        yield f"and {len(rows) - MOST_ROWS} more, {SHOWN_FIRST}"
        yield from _pairs(pairs(report.alike), style)
    yield ""
    for text in (*_summary(report.counts), *_dearest(report.counts), *_totals(report)):
        yield from style.wrap(_plain(text, style))


class _Row:
    """The remarks on a student, with flags about other students apart."""

    def __init__(self, student: Student, alike: Collection[str]) -> None:
        flags = [flag for flag in student.flagged if flag.text not in alike]
        notes = (*student.notes, *student.changes, *student.broken)
        self.student = student
        self.notes = [*map(str, (*student.tampering, *notes, *student.left_over, *flags))]
        self.alike = [str(flag) for flag in student.flagged if flag.text in alike]

    @property
    def gravity(self) -> tuple[int, float, str]:
        """Smaller for what needs a person sooner: no mark, tampering, flags; then by points."""
        student = self.student
        signs = [not student.graded, student.status == State.TAMPERED, bool(student.flagged),
                 bool(self.notes), True]  # fmt: skip
        return signs.index(True), student.score, student.student


def _rows(rows: Sequence[_Row], style: Style, *, alone: bool) -> Iterator[str]:
    marks = [_strip(row.student, style) for row in rows]
    scores = [_score(row.student) for row in rows]
    last = max(map(len, [*marks, EXERCISES]))
    middle = max(map(len, [*scores, SCORE]))
    room = max(NARROWEST_NAME, min(style.width - middle - last - 4, WIDEST_NAME))
    names = [_short(row.student.name, room, style) for row in rows]
    wide = max(map(_width, [*names, STUDENT]))
    head = [_padded(STUDENT, wide), f"{SCORE:>{middle}}", EXERCISES]
    yield style.paint("  ".join(head), "dim")
    for name, score, strip, row in zip(names, scores, marks, rows, strict=True):
        yield f"{_padded(name, wide)}  {score:>{middle}}  {strip}".rstrip()
        yield from _notes(row.student.status, row.notes + row.alike * (not alone), style)


def _strip(row: Student, style: Style) -> str:
    marks = "".join(style.marks.get(state, style.marks[State.FAILED]) for state in row.states)
    return " ".join(marks[at : at + IN_A_GROUP] for at in range(0, len(marks), IN_A_GROUP))


def _score(row: Student) -> str:
    return f"{number(row.score, DIGITS)} / {number(row.most, DIGITS)}" if row.graded else "-"


def _notes(status: str, notes: Sequence[str], style: Style) -> Iterator[str]:
    first, *rest = [*notes, ""]
    head = ": ".join(filter(None, [status if status != GRADED else "", first]))
    lines = [*filter(None, [head, *rest])]
    for text in lines[:MOST_NOTES]:
        yield from style.wrap(_plain(text, style), 4)
    yield from _more(len(lines) - MOST_NOTES)


def _more(count: int) -> list[str]:
    return [f"    and {count} more, in grades.csv"] if count > 0 else []


def _pairs(pairs: Sequence[Pair], style: Style) -> Iterator[str]:
    if not pairs:
        return
    yield from ["", ALIKE_HEADING]
    for likeness in pairs[:MOST_PAIRS]:
        names, places = _and([*map(clean, likeness.students)]), ", ".join(likeness.shorts)
        text = f"{names}: {places}; up to {int(100 * likeness.near)} % the same steps"
        yield from style.wrap(_plain(text, style), 4)
    yield from _more(len(pairs) - MOST_PAIRS)


def _and(names: Sequence[str]) -> str:
    """List the first names, and how many more there are."""
    if more := max(0, len(names) - MOST_TOGETHER):
        return f"{', '.join(names[:MOST_TOGETHER])} and {more} more"
    return f"{', '.join(names[:-1])} and {names[-1]}"


def _summary(counts: Counts) -> Iterator[str]:
    if len(scores := counts.scores) > 1:
        middle, half = number(mean(scores), DIGITS), number(median(scores), DIGITS)
        yield f"mean {middle}, median {half}, of {points(number(counts.most, DIGITS))}"


def _dearest(counts: Counts) -> Iterator[str]:
    """Say what cost most points, as the report counts it: mistakes, and a failure without one."""
    for hit in counts.repeated:
        if len(hit.students) > 1:
            yield _cost(hit, hit.title)
    for group in counts.groups[:1]:
        if group.absent:
            yield _cost(group, group.title)
        elif group.claims == 1:
            yield _cost(group, "no known mistake explains a claim that fails; it says: "
                        f"{group.title}")  # fmt: skip
        else:
            yield _cost(group, f"no known mistake explains the same {group.claims} failing "
                        f"claims; the first says: {group.title}")  # fmt: skip


def _cost(cost: Cost, cause: str) -> str:
    lost, short = points(number(cost.lost, 1)), exercises()[cost.slug].short
    return f"{lost} lost by {len(cost.students)} students in {short}: {cause}"


def _totals(report: Report) -> Iterator[str]:
    count, graded = len(report.counts.present), len(report.counts.scores)
    before = f", {graded - report.now} of them in an earlier run" if graded > report.now else ""
    yield f"{count} handed in, {graded} graded{before}"
    if lost := count - graded:
        yield f"{lost} could not be graded"
    yield f"the grades are in {report.grades / 'grades.csv'}"


# One mark


def explained(verdict: SubmissionVerdict, style: Style) -> Iterator[str]:
    """Explain a mark claim by claim, with what was expected and what was returned."""
    name = _plain(verdict.student, style)
    yield style.paint(f"{name}: {verdict.status}" if verdict.problem else name, "bold")
    for text in (*wording.reading_notes(verdict), *wording.changes(verdict, reasons=True)):
        yield from style.wrap(_plain(text, style), 2)
    for exercise, mark in zip(verdict.exercises, verdict.marks, strict=True):
        yield ""
        yield from _exercise(exercise, mark, style)
    for proof in verdict.begun_proofs:
        yield from ["", f"{wording.proof_title(proof)}:"]
        missed = (f"no test catches: {title}" for title in proof.missed)
        for text in (*wording.proof_lines(proof), *missed):
            yield from style.wrap(_plain(text, style), 2)
    if verdict.exercises:
        yield from ["", f"{name}: {number(verdict.score)} of {points(number(verdict.most))}"]


def _exercise(exercise: ExerciseVerdict, mark: Mark, style: Style) -> Iterator[str]:
    head = f"{exercise.slug}: {number(mark.score)} of {points(number(mark.most))}"
    if exercise.is_whole:
        yield head
        yield from _evidence(exercise.claims[0].message, 2, style)
        return
    yield f"{head}, {exercise.held} of {len(exercise.claims)} claims hold"
    yield from (f"  {_plain(text, style)}" for text in wording.charges(exercise, mark))
    yield from (f"  {text}" for text in wording.stand_ins(exercise))
    withheld: set[str] = set()
    for claim in exercise.claims:
        yield from _claim(claim, style, withheld)
    mistakes = (f"{mistake.title}. {mistake.why}" for mistake in exercise.mistakes)
    remarks = (*wording.attempts(exercise), *exercise.left_over, *exercise.flags)
    for text in (*mistakes, *remarks):
        yield from style.wrap(_plain(text, style), 2)


def _claim(claim: ClaimVerdict, style: Style, withheld: set[str]) -> Iterator[str]:
    """Yield a line for the claim, and its evidence; of claims with the same, only for the first."""
    mark = style.marks.get(claim.state, style.marks[State.FAILED])
    yield f"  {mark} {claim.in_words}"
    evidence = claim.message.evidence if claim.message and not claim.message.inputs else ""
    if not evidence or evidence not in withheld:
        yield from _evidence(claim.message, 6, style)
    withheld.add(evidence)


def _evidence(message: Message | None, margin: int, style: Style) -> Iterator[str]:
    """Yield the inputs of the claim and its result; or the message about the file as a whole."""
    if message:
        texts = [*filter(None, [message.inputs, message.evidence])]
        for text in filter(None, texts or message.claim.splitlines()):
            yield from style.wrap(_plain(text, style), margin)


def _plain(text: str, style: Style) -> str:
    """Clean a stranger's text of control characters, and write it in ASCII if need be."""
    plain = line(text)
    return plain if style.unicode else plain.encode("ascii", "replace").decode()


def _short(name: str, room: int, style: Style) -> str:
    plain = _plain(name, style)
    return plain if _width(plain) <= room else f"{_padded(plain, room - 3)}..."


def _width(text: str) -> int:
    from rich.cells import cell_len

    return cell_len(text)


def _padded(text: str, width: int) -> str:
    """Pad or cut a text to this many columns."""
    from rich.cells import set_cell_size

    return set_cell_size(text, width)
