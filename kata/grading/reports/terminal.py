"""The table that an instructor sees at the end of a run, and how one mark came about.

`run` keeps a `row` of each verdict; the command line prints `table` or `explained`. Names and
messages are strangers' texts: each goes through `_plain`, so that no terminal obeys it.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import mean, median

from kata.class_verdict import GRADED, SubmissionVerdict
from kata.course.curriculum import exercises
from kata.grading.reports import wording
from kata.grading.reports.counting import Group, Hit, Tally, to_repeat
from kata.grading.reports.wording import DIGITS, number, points
from kata.grading.similarity.alike import Pair
from kata.points import Mark
from kata.terminal.style import Style
from kata.text import clean, line
from kata.verdict import ClaimVerdict, ExerciseVerdict, Message, State

MOST_ROWS = 40
MOST_NOTES = 4  # lines about one submission
MOST_MISTAKES = 3
MOST_PAIRS = 10
MOST_TOGETHER = 3  # names in a line about work that is alike
NARROWEST_NAME, WIDEST_NAME = 12, 32
IN_A_GROUP = 5  # exercises; more marks in a row cannot be counted at a glance
STUDENT, SCORE, EXERCISES = "student", "score", "exercises"
SHOWN_FIRST = "in grades.csv; shown first: no mark, tampered, flags, notes, few points"
ALIKE_HEADING = "much the same work, which is a reason to talk and no proof:"


@dataclass
class Common:
    """What students have in common: whose work is alike, and what cost the class most points.

    `alike` are the flags that say whose work is.
    """

    pairs: Sequence[Pair] = ()
    alike: Collection[str] = ()
    tally: Tally = field(default_factory=Tally)


@dataclass(frozen=True)
class Row:
    """What the table shows of one submission; `alike` are the flags about other students."""

    student: str
    score: float
    most: float
    status: str
    graded: bool
    handed_in: bool  # whether there is any work: a mark can be given without
    states: tuple[State, ...]  # of its exercises
    notes: tuple[str, ...]
    alike: tuple[str, ...] = ()
    flagged: bool = False  # by more than notes

    @property
    def gravity(self) -> tuple[int, float, str]:
        """Smaller for what needs a person sooner: no mark, tampering, flags; then by points."""
        signs = [not self.graded, self.status == State.TAMPERED, self.flagged, bool(self.notes)]
        return signs.index(True) if any(signs) else len(signs), self.score, self.student


def row(verdict: SubmissionVerdict, common: Common | None = None) -> Row:
    """The part of a verdict that is kept: a large class has many. The rest is summed up."""
    common = common or Common()
    for exercise, mark in zip(verdict.exercises, verdict.marks_by_claims, strict=True):
        common.tally.add(verdict.student, exercise, mark)
    flags = wording.flags(verdict)
    own = [flag for flag in flags if flag.text not in common.alike]
    remarks = [*wording.tampering(verdict), *wording.notes(verdict), *wording.left_over(verdict)]
    return Row(
        verdict.student,
        verdict.score,
        verdict.most,
        verdict.status,
        verdict.graded,
        not verdict.absent,
        tuple(exercise.state for exercise in verdict.exercises),
        tuple(map(str, [*remarks, *own])),
        tuple(str(flag) for flag in flags if flag.text in common.alike),
        bool(flags),
    )


def table(
    rows: Sequence[Row], now: int, grades: Path, style: Style, common: Common | None = None
) -> Iterator[str]:
    """A line for each submission with its remarks, then a summary of the class.

    Of a large class those who need a person most come first, and who is alike is said once, below.
    """
    common, large = common or Common(), len(rows) > MOST_ROWS
    shown = sorted(rows, key=lambda row: row.gravity)[:MOST_ROWS] if large else rows
    yield from _rows(shown, style, alone=large)
    if large:
        yield f"and {len(rows) - MOST_ROWS} more, {SHOWN_FIRST}"
        yield from _pairs(common.pairs, style)
    yield ""
    handed_in = [row for row in rows if row.handed_in]
    graded = [row for row in handed_in if row.graded]
    lines = [*_summary(graded), *_dearest(common.tally)]
    for text in (*lines, *_counts(len(handed_in), len(graded), now, grades)):
        yield from style.wrap(_plain(text, style))


def _rows(rows: Sequence[Row], style: Style, *, alone: bool) -> Iterator[str]:
    marks = [_strip(row, style) for row in rows]
    scores = [_score(row) for row in rows]
    last = max(map(len, [*marks, EXERCISES]))
    middle = max(map(len, [*scores, SCORE]))
    room = max(NARROWEST_NAME, min(style.width - middle - last - 4, WIDEST_NAME))
    names = [_short(row.student, room, style) for row in rows]
    wide = max(map(_width, [*names, STUDENT]))
    head = [_padded(STUDENT, wide), f"{SCORE:>{middle}}", EXERCISES]
    yield style.paint("  ".join(head), "dim")
    for name, score, strip, row in zip(names, scores, marks, rows, strict=True):
        yield f"{_padded(name, wide)}  {score:>{middle}}  {strip}".rstrip()
        yield from _notes(row, () if alone else row.alike, style)


def _strip(row: Row, style: Style) -> str:
    marks = "".join(style.marks.get(state, style.marks[State.FAILED]) for state in row.states)
    return " ".join(marks[at : at + IN_A_GROUP] for at in range(0, len(marks), IN_A_GROUP))


def _score(row: Row) -> str:
    return f"{number(row.score, DIGITS)} / {number(row.most, DIGITS)}" if row.graded else "-"


def _notes(row: Row, alike: Sequence[str], style: Style) -> Iterator[str]:
    status = [] if row.status == GRADED else [row.status]
    first, *rest = [*row.notes, *alike, ""]
    lines = [*filter(None, [": ".join(filter(None, [*status, first])), *rest])]
    for text in lines[:MOST_NOTES]:
        yield from style.wrap(_plain(text, style), 4)
    yield from _more(len(lines) - MOST_NOTES)


def _more(count: int) -> list[str]:
    return [f"    and {count} more, in grades.csv"] if count > 0 else []


def _pairs(pairs: Sequence[Pair], style: Style) -> Iterator[str]:
    if not pairs:
        return
    yield from ["", ALIKE_HEADING]
    for pair in pairs[:MOST_PAIRS]:
        who, places = _and([*map(clean, pair.students)]), ", ".join(pair.shorts)
        text = f"{who}: {places}; up to {int(100 * pair.near)} % the same steps"
        yield from style.wrap(_plain(text, style), 4)
    yield from _more(len(pairs) - MOST_PAIRS)


def _and(names: Sequence[str]) -> str:
    """The first of them, and how many more there are."""
    if more := max(0, len(names) - MOST_TOGETHER):
        return f"{', '.join(names[:MOST_TOGETHER])} and {more} more"
    return f"{', '.join(names[:-1])} and {names[-1]}"


def _summary(rows: Sequence[Row]) -> Iterator[str]:
    if len(rows) > 1:
        scores = [row.score for row in rows]
        middle, half = number(mean(scores), DIGITS), number(median(scores), DIGITS)
        yield f"mean {middle}, median {half}, of {points(number(rows[0].most, DIGITS))}"


def _dearest(tally: Tally) -> Iterator[str]:
    """What cost most points, as the report counts it: mistakes, and work that none explains."""
    for hit in to_repeat(tally.hits)[:MOST_MISTAKES]:
        if len(hit.students) > 1:
            yield _cost(hit, hit.title)
    for group in tally.groups[:1]:
        if group.absent:
            yield _cost(group, group.sentence)
        elif group.claims == 1:
            yield _cost(group, "no known mistake explains a claim that fails; it says: "
                        f"{group.sentence}")  # fmt: skip
        else:
            yield _cost(group, f"no known mistake explains the same {group.claims} failing "
                        f"claims; the first says: {group.sentence}")  # fmt: skip


def _cost(cost: Hit | Group, what: str) -> str:
    lost, short = points(number(cost.lost, 1)), exercises()[cost.slug].short
    return f"{lost} lost by {len(cost.students)} students in {short}: {what}"


def _counts(count: int, graded: int, now: int, grades: Path) -> Iterator[str]:
    before = f", {graded - now} of them in an earlier run" if graded > now else ""
    yield f"{count} handed in, {graded} graded{before}"
    if lost := count - graded:
        yield f"{lost} could not be graded"
    yield f"the grades are in {grades / 'grades.csv'}"


def explained(verdict: SubmissionVerdict, style: Style) -> Iterator[str]:
    """Claim by claim, with what was expected and what was returned."""
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
    """A line for the claim, and what came out; what is said of many claims is said of the first."""
    mark = style.marks.get(claim.state, style.marks[State.FAILED])
    yield f"  {mark} {claim.in_words}"
    evidence = claim.message.evidence if claim.message and not claim.message.inputs else ""
    if not evidence or evidence not in withheld:
        yield from _evidence(claim.message, 6, style)
    withheld.add(evidence)


def _evidence(message: Message | None, margin: int, style: Style) -> Iterator[str]:
    """The inputs of the claim and what came out; or the message about the file as a whole."""
    if message:
        texts = [*filter(None, [message.inputs, message.evidence])]
        for text in filter(None, texts or message.claim.splitlines()):
            yield from style.wrap(_plain(text, style), margin)


def _plain(text: str, style: Style) -> str:
    """Text of strangers, without control characters, and in ASCII if need be."""
    plain = line(text)
    return plain if style.unicode else plain.encode("ascii", "replace").decode()


def _short(name: str, room: int, style: Style) -> str:
    plain = _plain(name, style)
    return plain if _width(plain) <= room else f"{_padded(plain, room - 3)}..."


def _width(text: str) -> int:
    from rich.cells import cell_len

    return cell_len(text)


def _padded(text: str, width: int) -> str:
    """The text, padded or cut to this many columns."""
    from rich.cells import set_cell_size

    return set_cell_size(text, width)
