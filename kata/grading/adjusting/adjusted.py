"""The pure step between verdicts and reports: each mark as it counts, under the name it is for."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from kata.class_verdict import ClassVerdict, Missing, SubmissionVerdict
from kata.grading.adjusting.late_work.late import LateRule
from kata.grading.adjusting.overrules import Overrule
from kata.grading.adjusting.people import bare
from kata.grading.reports.wording import number
from kata.judging.at_sight import whole
from kata.points import Adjustment, Mark, Scale
from kata.verdict import ExerciseVerdict, Message, State
from kata.words import say

LATE, OVERRULED = "late", "overruled"


@dataclass(frozen=True)
class Entry:
    """Somebody who gets a mark, and for which work.

    Args:
        source: under whose name the work was graded; empty if nothing was handed in.
        student: whose mark it is.
        number: on the learning platform; none to keep that of the work.
        section: of a roster.
        team: of a roster, or those who handed in together.
        notes: beside those about the work.
        days: that were started after the deadline and the time of grace.
        cause: why these days cost something.
        overrules: what the instructor has decided.
        upload: the name that the platform gave to the work.
    """

    source: str
    student: str
    number: str | None = None
    section: str = ""
    team: str = ""
    notes: tuple[str, ...] = ()
    days: int = 0
    cause: str = ""
    overrules: tuple[Overrule, ...] = ()
    upload: str = ""


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
    def changes_marks(self) -> bool:
        """Whether any mark may be another one than the claims have brought."""
        return any(each.days or each.overrules for each in self.entries)

    def sources(self, names: tuple[str, ...]) -> tuple[str, ...]:
        """Whose work is read, in the order of the reports: that of a team for each member."""
        return tuple(each.source for each in self.entries if each.source) or names

    def called(self, name: str) -> tuple[str, ...]:
        """Whose work is meant by a name as the reports have it, or as the platform has it.

        Where nobody is, case, accents and the order of words may differ, if that leaves one person.
        """
        there = [each for each in self.entries if each.source]
        exact = [each.source for each in there if name in {each.student, each.source}]
        alike = {each.source for each in there if bare(name) & bare(each.student, each.source)}
        return tuple(exact or (alike if len(alike) == 1 else ()))


def adjusted(found: ClassVerdict, how: Adjusting) -> ClassVerdict:
    """The class as it is reported; its verdicts come in the order of the entries."""
    head = replace(found, missing=how.missing, sections=how.sections, sealed=how.sealed,
                   adjusted=how.changes_marks, scale=how.scale)  # fmt: skip
    if not how.entries:
        return head

    def submissions() -> Iterator[SubmissionVerdict]:
        for entry, verdict in _paired(how.entries, found.submissions()):
            yield one(verdict, entry, how.rule, found)

    return replace(head, submissions=submissions)


def _paired(
    entries: Iterable[Entry], verdicts: Iterable[SubmissionVerdict]
) -> Iterator[tuple[Entry, SubmissionVerdict]]:
    """Each verdict with its entry; a run that was interrupted has no verdict for some.

    Whoever has handed in nothing has an entry if there is a mark for them.
    """
    todo = iter(entries)
    for verdict in verdicts:
        for each in todo:
            if each.source == verdict.student:
                yield each, verdict
                break
            yield from _without_work(each)
    for each in todo:
        yield from _without_work(each)


def _without_work(entry: Entry) -> Iterator[tuple[Entry, SubmissionVerdict]]:
    if not entry.source:
        problem = say("adjusting.nothing-handed-in")
        yield entry, SubmissionVerdict(entry.student, problem=problem, absent=True)


def one(
    verdict: SubmissionVerdict, entry: Entry, rule: LateRule | None, found: ClassVerdict
) -> SubmissionVerdict:
    """The verdict on one student, as it is reported."""
    named = _named(verdict, entry)
    if any(each.changes for each in entry.overrules):
        named = _by_hand(named, found.points)
    for each in entry.overrules:
        named = _overruled(named, each) if each.slug else named
    named = _late(named, entry, rule)
    for each in entry.overrules:
        said = each.changes or each.comment or each.reason
        named = _overruled_whole(named, each) if said and not each.slug else named
    return named


def _named(verdict: SubmissionVerdict, entry: Entry) -> SubmissionVerdict:
    known = verdict.id if entry.number is None else entry.number
    notes = (*verdict.notes, *entry.notes)
    named = replace(verdict, student=entry.student, id=known, notes=notes)
    return replace(named, section=entry.section, team=entry.team, upload=entry.upload)


def _by_hand(verdict: SubmissionVerdict, points: Mapping[str, float]) -> SubmissionVerdict:
    """Work that could not be graded, ready for marks that an instructor gives."""
    if not verdict.problem:
        return verdict
    message = Message(say("adjusting.not-by-claims"))
    exercises = tuple(ExerciseVerdict(e, (whole(State.NOT_STARTED, message),)) for e in points)
    marks = tuple(Mark(0.0, each) for each in points.values())
    notes = (*verdict.notes, verdict.problem)
    return replace(verdict, exercises=exercises, marks=marks, notes=notes, problem="",
                   by_hand=True)  # fmt: skip


def _overruled(verdict: SubmissionVerdict, decided: Overrule) -> SubmissionVerdict:
    """With another mark for one exercise, if that is graded here."""
    slugs = [each.slug for each in verdict.exercises]
    if decided.slug not in slugs:
        return verdict
    marks, place = list(verdict.marks), slugs.index(decided.slug)
    before, most = marks[place].score, marks[place].most
    change = _change(decided, before, most)
    marks[place] = Mark(change.after, most)
    return replace(verdict, marks=tuple(marks), adjustments=(*verdict.adjustments, change))


def _overruled_whole(verdict: SubmissionVerdict, decided: Overrule) -> SubmissionVerdict:
    change = _change(decided, verdict.score, verdict.most)
    return replace(verdict, adjustments=(*verdict.adjustments, change))


def _change(decided: Overrule, before: float, most: float) -> Adjustment:
    """What a row of the instructor's makes of these points: no fewer than 0, and a bonus counts."""
    wanted = before + (decided.adjustment or 0.0) if decided.points is None else decided.points
    after = round(max(wanted, 0.0), 4) if decided.changes else before
    above = after > most and after > before
    cut = decided.changes and round(wanted, 4) != after
    reason = "adjusting.overruled-cut" if cut else "adjusting.overruled"
    reason = "adjusting.bonus" if above else reason
    cause = say(reason, wanted=number(wanted)) if decided.changes else ""
    texts = {"cause": cause, "comment": decided.comment, "reason": decided.reason}
    return Adjustment(OVERRULED, before, after, decided.slug, **texts)


def _late(verdict: SubmissionVerdict, entry: Entry, rule: LateRule | None) -> SubmissionVerdict:
    if not (rule and entry.days) or verdict.problem:
        return verdict
    before = verdict.score
    after = round(max(0.0, before - rule.off(entry.days, verdict.most)), 4)
    change = Adjustment(LATE, before, after, cause=entry.cause)
    return replace(verdict, adjustments=(*verdict.adjustments, change))
