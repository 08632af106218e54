"""What an instructor sees at the end of a run, and how one mark came about."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from statistics import mean, median

from kata.class_verdict import GRADED, MISSING, SubmissionVerdict
from kata.course.curriculum import exercises
from kata.grading.reports import proofs, remarks
from kata.grading.reports.common.costs import (
    Group,
    Hit,
    Tally,
    charged,
    costs,
    is_unreadable,
    to_repeat,
)
from kata.grading.reports.common.pairs import Pair
from kata.grading.reports.tables import number
from kata.grading.reports.text import points as in_words
from kata.grading.reports.text import stood_in
from kata.points import Mark
from kata.proved import Proved
from kata.terminal.style import Style
from kata.text import line
from kata.verdict import ClaimVerdict, ExerciseVerdict, Message, State
from kata.words import say

MOST_ROWS = 40
MOST_NOTES = 4  # lines about one submission
MOST_MISTAKES = 3
MOST_PAIRS = 10
MOST_TOGETHER = 3  # names in a line about work that is alike
NARROWEST_NAME, WIDEST_NAME = 12, 32
IN_A_GROUP = 5  # exercises; more marks in a row cannot be counted at a glance


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
    states: tuple[State, ...]  # of its exercises
    told: tuple[str, ...]
    alike: tuple[str, ...] = ()
    flagged: bool = False  # by more than notes

    @property
    def graded(self) -> bool:
        """Whether it has a mark."""
        return self.status != State.NOT_GRADABLE

    @property
    def handed_in(self) -> bool:
        """Whether there is any work: a mark can be given without."""
        return self.status != MISSING

    @property
    def gravity(self) -> tuple[int, float, str]:
        """Smaller for what needs a person sooner: no mark, tampering, flags; then by points."""
        grave = [not self.graded, self.status == State.TAMPERED, self.flagged, bool(self.told)]
        return next((at for at, each in enumerate(grave) if each), 4), self.score, self.student


def row(verdict: SubmissionVerdict, common: Common | None = None) -> Row:
    """The part of a verdict that is kept: a large class has many. The rest is summed up."""
    common = common or Common()
    for found, mark in zip(verdict.exercises, verdict.marks_by_claims, strict=True):
        common.tally.add(verdict.student, costs(found, mark))
        if not is_unreadable(found):
            common.tally.add_unexplained(verdict.student, found, mark)
    flags = remarks.flags(verdict)
    alike = [each for each in flags if each.text in common.alike]
    own = [each for each in flags if each.text not in common.alike]
    left = remarks.left_over(verdict)
    told = (*remarks.tampering(verdict), *remarks.notes(verdict), *left, *own)
    return Row(
        verdict.student,
        verdict.score,
        verdict.most,
        verdict.status,
        tuple(each.state for each in verdict.exercises),
        tuple(map(str, told)),
        tuple(map(str, alike)),
        bool(flags),
    )


def table(
    rows: Sequence[Row], now: int, grades: Path, style: Style, common: Common | None = None
) -> Iterator[str]:
    """A line for each submission with its remarks, then a summary of the class.

    Of a large class those who need a person most come first, and who is alike is told once, below.
    """
    common, large = common or Common(), len(rows) > MOST_ROWS
    shown = sorted(rows, key=lambda each: each.gravity)[:MOST_ROWS] if large else rows
    yield from _rows(shown, style, alone=large)
    if large:
        yield say("reports.more-students", count=len(rows) - MOST_ROWS)
        yield from _pairs(common.pairs, style)
    yield ""
    handed = [each for each in rows if each.handed_in]
    graded = [each for each in handed if each.graded]
    summary = [*_summary(graded), *_dearest(common.tally)]
    for each in (*summary, *_counts(len(handed), len(graded), now, grades)):
        yield from style.wrap(_plain(each, style))


def _pairs(found: Sequence[Pair], style: Style) -> Iterator[str]:
    """Who with whom, and where."""
    if not found:
        return
    yield from ["", say("reports.alike")]
    for each in found[:MOST_PAIRS]:
        percent, places = int(100 * each.near), ", ".join(each.shorts)
        who = _and(each.students)
        text = say("reports.pair", who=who, count=len(each.shorts), places=places, percent=percent)
        yield from style.wrap(_plain(text, style), 4)
    if more := len(found) - MOST_PAIRS:
        yield from [f"    {say('reports.more', count=more)}"] if more > 0 else []


def _and(names: Sequence[str]) -> str:
    """The first of them, and how many more there are."""
    if more := max(0, len(names) - MOST_TOGETHER):
        return say("reports.together-more", names=", ".join(names[:MOST_TOGETHER]), count=more)
    return say("reports.together", names=", ".join(names[:-1]), last=names[-1])


def _rows(rows: Sequence[Row], style: Style, *, alone: bool) -> Iterator[str]:
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
        yield from _told(each, [] if alone else each.alike, style)


def _told(row: Row, alike: Sequence[str], style: Style) -> Iterator[str]:
    status = [] if row.status == GRADED else [row.status]
    first, *others = [*row.told, *alike, ""]
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
    score, most = number(row.score, remarks.DIGITS), number(row.most, remarks.DIGITS)
    return f"{score} / {most}" if row.graded else "-"


def _summary(rows: Sequence[Row]) -> Iterator[str]:
    """Mean and median."""
    if len(rows) > 1:
        scores = [each.score for each in rows]
        middle = {"mean": mean(scores), "median": median(scores)}
        found = {name: number(each, remarks.DIGITS) for name, each in middle.items()}
        yield say("reports.summary", **found, most=in_words(number(rows[0].most, remarks.DIGITS)))


def _dearest(tally: Tally) -> Iterator[str]:
    """What cost most points, as the report counts it: mistakes, and work that none explains."""
    for hit in to_repeat(tally.hits)[:MOST_MISTAKES]:
        if len(hit.students) > 1:
            yield _cost(hit, hit.title)
    for group in tally.groups[:1]:
        key = "reports.unexplained-one" if group.claims == 1 else "reports.unexplained"
        text = say(key, claims=group.claims, sentence=group.sentence)
        yield _cost(group, group.sentence if group.absent else text)


def _cost(found: Hit | Group, what: str) -> str:
    points, short = number(found.lost, 1), exercises()[found.slug].short
    some = {"points": in_words(points), "count": len(found.students), "short": short}
    return say("reports.cost", what=what, **some)


def _counts(count: int, graded: int, now: int, grades: Path) -> Iterator[str]:
    key = "reports.done-before" if graded > now else "reports.done"
    yield say(key, count=count, graded=graded, before=graded - now)
    if lost := count - graded:
        yield say("reports.lost", count=lost)
    yield say("reports.where", path=grades / "grades.csv")


def explained(verdict: SubmissionVerdict, style: Style) -> Iterator[str]:
    """Claim by claim, with what was expected and what was returned."""
    name = _plain(verdict.student, style)
    score, most = number(verdict.score), in_words(number(verdict.most))
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
    about = {"slug": exercise.slug, "score": number(mark.score)}
    about["most"] = in_words(number(mark.most))
    if exercise.is_whole:
        yield say("reports.earned-none", **about)
        yield from _evidence(exercise.claims[0].message, 2, style)
        return
    yield say("reports.earned", **about, held=exercise.held, claims=len(exercise.claims))
    yield from (f"  {_plain(each, style)}" for each in charged(exercise, mark))
    yield from (f"  {each}" for each in stood_in(exercise))
    said: set[str] = set()
    for claim in exercise.claims:
        yield from _claim(claim, style, said)
    for text in _about(exercise):
        yield from style.wrap(_plain(text, style), 2)


def _about(exercise: ExerciseVerdict) -> Iterator[str]:
    for mistake in exercise.mistakes:
        yield say("reports.mistake", title=mistake.title, why=mistake.why)
    yield from remarks.attempts(exercise)
    yield from (*exercise.left_over, *exercise.flags)


def _claim(claim: ClaimVerdict, style: Style, said: set[str]) -> Iterator[str]:
    """A line for the claim, and what came out; what is said of many claims is said of the first."""
    mark = style.marks.get(claim.state, style.marks[State.FAILED])
    yield f"  {mark} {claim.name.removeprefix('test_').replace('_', ' ')}"
    withheld = claim.message.evidence if claim.message and not claim.message.inputs else ""
    if not withheld or withheld not in said:
        yield from _evidence(claim.message, 6, style)
    said.add(withheld)


def _evidence(message: Message | None, margin: int, style: Style) -> Iterator[str]:
    """The inputs of the claim and what came out; or the message about the file as a whole."""
    if message:
        told = [message.inputs, message.evidence]
        for text in filter(None, told if any(told) else message.claim.splitlines()):
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
