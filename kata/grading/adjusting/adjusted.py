"""The pure step between verdicts and reports: each mark as it counts, under the name it is for.

`plan` decides what is adjusted, before the grading; `run` calls `adjusted`, after it.
Nothing is read, written or graded again.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from kata.class_verdict import ClassVerdict, Missing, SubmissionVerdict
from kata.grading.adjusting.late import LateRule
from kata.grading.adjusting.overrules import Overrule
from kata.grading.people import bare
from kata.grading.reports.wording import number
from kata.judging.at_sight import whole
from kata.points import Adjustment, Mark, Scale
from kata.verdict import ExerciseVerdict, Message, State

LATE, OVERRULED = "late", "overruled"


@dataclass(frozen=True)
class Entry:
    """Somebody who gets a mark, and for which work."""

    source: str  # under whose name the work was graded; empty if nothing was handed in
    student: str  # whose mark it is
    number: str | None = None  # on the learning platform; none to keep that of the work
    section: str = ""  # of a roster
    team: str = ""  # of a roster, or those who handed in together
    notes: tuple[str, ...] = ()  # beside those about the work
    days: int = 0  # that were started after the deadline and the time of grace
    cause: str = ""  # why these days cost something
    overrules: tuple[Overrule, ...] = ()
    upload: str = ""  # the name that the platform gave to the work


@dataclass(frozen=True)
class Adjusting:
    """What is done with the verdicts of a class; nothing, if nothing was asked for."""

    entries: tuple[Entry, ...] = ()
    rule: LateRule | None = None
    missing: tuple[Missing, ...] = ()
    sections: tuple[str, ...] = ()
    sealed: bool = False
    scale: Scale | None = None

    @property
    def sources(self) -> tuple[str, ...]:
        """Whose work is read, in the order of the reports: that of a team for each member."""
        return tuple(entry.source for entry in self.entries if entry.source)

    def sources_of(self, name: str) -> tuple[str, ...]:
        """Whose work is meant by a name as the reports have it, or as the platform has it.

        Where nobody is, case, accents and the order of words may differ, if that leaves one person.
        """
        works = [entry for entry in self.entries if entry.source]
        exact = [entry.source for entry in works if name in {entry.student, entry.source}]
        alike = {entry.source for entry in works
                 if bare(name) & bare(entry.student, entry.source)}  # fmt: skip
        return tuple(exact or (alike if len(alike) == 1 else ()))


def adjusted(verdicts: ClassVerdict, adjusting: Adjusting) -> ClassVerdict:
    """The class as it is reported; its verdicts come in the order of the entries."""
    changes = any(entry.days or entry.overrules for entry in adjusting.entries)
    head = replace(
        verdicts, missing=adjusting.missing, sections=adjusting.sections, sealed=adjusting.sealed,
        adjusted=changes, scale=adjusting.scale,
    )  # fmt: skip
    if not adjusting.entries:
        return head

    def submissions() -> Iterator[SubmissionVerdict]:
        for entry, verdict in _paired(adjusting.entries, verdicts.submissions()):
            yield _adjusted(verdict, entry, adjusting.rule, verdicts.points)

    return replace(head, submissions=submissions)


def _paired(
    entries: Iterable[Entry], verdicts: Iterable[SubmissionVerdict]
) -> Iterator[tuple[Entry, SubmissionVerdict]]:
    """Each verdict with its entry; a run that was interrupted has no verdict for some.

    Whoever has handed in nothing has an entry if there is a mark for them.
    """
    coming = iter(verdicts)
    verdict = next(coming, None)
    for entry in entries:
        if not entry.source:
            nothing = "nothing was handed in"
            yield entry, SubmissionVerdict(entry.student, problem=nothing, absent=True)
        elif verdict and entry.source == verdict.student:
            yield entry, verdict
            verdict = next(coming, None)


def _adjusted(
    verdict: SubmissionVerdict, entry: Entry, rule: LateRule | None, points: Mapping[str, float]
) -> SubmissionVerdict:
    verdict = _with_entry(verdict, entry)
    if any(row.changes for row in entry.overrules):
        verdict = _by_hand(verdict, points)
    for row in entry.overrules:
        if row.slug:
            verdict = _overruled_exercise(verdict, row)
    if rule and entry.days and not verdict.problem:
        after = round(max(0.0, verdict.score - rule.off(entry.days, verdict.most)), 4)
        verdict = _with(verdict, Adjustment(LATE, verdict.score, after, cause=entry.cause))
    for row in entry.overrules:
        if not row.slug and (row.changes or row.comment or row.reason):
            verdict = _with(verdict, _change(row, verdict.score, verdict.most))
    return verdict


def _with_entry(verdict: SubmissionVerdict, entry: Entry) -> SubmissionVerdict:
    return replace(
        verdict,
        student=entry.student,
        id=verdict.id if entry.number is None else entry.number,
        notes=(*verdict.notes, *entry.notes),
        section=entry.section,
        team=entry.team,
        upload=entry.upload,
    )


def _by_hand(verdict: SubmissionVerdict, points: Mapping[str, float]) -> SubmissionVerdict:
    """Work that could not be graded, ready for marks that an instructor gives."""
    if not verdict.problem:
        return verdict
    claim = whole(State.NOT_STARTED, Message("not graded by claims"))
    return replace(
        verdict,
        exercises=tuple(ExerciseVerdict(slug, (claim,)) for slug in points),
        marks=tuple(Mark(0.0, most) for most in points.values()),
        notes=(*verdict.notes, verdict.problem),
        problem="",
        by_hand=True,
    )


def _overruled_exercise(verdict: SubmissionVerdict, row: Overrule) -> SubmissionVerdict:
    """With another mark for one exercise, if that is graded here."""
    slugs = [exercise.slug for exercise in verdict.exercises]
    if row.slug not in slugs:
        return verdict
    marks, place = list(verdict.marks), slugs.index(row.slug)
    change = _change(row, marks[place].score, marks[place].most)
    marks[place] = Mark(change.after, marks[place].most)
    return _with(replace(verdict, marks=tuple(marks)), change)


def _with(verdict: SubmissionVerdict, change: Adjustment) -> SubmissionVerdict:
    return replace(verdict, adjustments=(*verdict.adjustments, change))


def _change(row: Overrule, before: float, most: float) -> Adjustment:
    """What a row of the instructor's makes of these points: no fewer than 0, and a bonus counts."""
    texts = {"comment": row.comment, "reason": row.reason}
    if not row.changes:
        return Adjustment(OVERRULED, before, before, row.slug, **texts)
    wanted = before + (row.adjustment or 0.0) if row.points is None else row.points
    after = round(max(wanted, 0.0), 4)
    if after > most and after > before:
        cause = "a bonus of the instructor's, above what there is"
    elif after != round(wanted, 4):
        cause = f"overruled by the instructor, to {number(wanted)}; no mark is below 0"
    else:
        cause = "overruled by the instructor"
    return Adjustment(OVERRULED, before, after, row.slug, cause, **texts)
