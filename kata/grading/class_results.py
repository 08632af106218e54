"""The results of a run: the verdicts on a class, the reports on it, and what has changed.

Called by `run`, which makes a `Report`, and by `cli`, which shows it. It writes nothing, and judges
nothing: the verdicts are read from the journal as often as somebody goes through them.
"""

import csv
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from io import StringIO
from pathlib import Path

from kata.class_verdict import ClassVerdict, SubmissionVerdict
from kata.course.curriculum import exercises
from kata.files import read_file
from kata.grading.adjusting.adjusted import adjusted
from kata.grading.adjusting.plan import Plan
from kata.grading.collecting.names import few
from kata.grading.journal import Journal
from kata.grading.options import Options
from kata.grading.reports.terminal import Common, Row
from kata.grading.reports.wording import number
from kata.grading.similarity.alike import Alike, flagged_works
from kata.grading.tables import harmless
from kata.text import shown
from kata.verdict import State

GRADES = "grades.csv"
SMALLEST_CLASS = 5  # students; an exercise that none of so many has started was hardly assigned
MOST_NAMES = 6  # of students whose mark has changed
DIGITS = 2
GRADED_AGAIN = {  # why verdicts of earlier runs do not count
    "choices": "everyone was graded again: limits, the seed, diagnosis or the reference has "
    "changed since the last run",
    "engine": "everyone was graded again: the kata, Python, torch or numpy has changed since the "
    "last run",
    "unknown": "everyone was graded again: what was graded here before is damaged, or was not "
    "written by you on this machine",
}
SAME_MARKS = "no mark has changed since the last run"


@dataclass(frozen=True)
class Report:
    """The results of a run."""

    rows: list[Row]  # one for each student
    now: int  # graded in this run, the others in an earlier one
    outdated: str  # why verdicts of earlier runs do not count; empty if they do
    verdicts: ClassVerdict
    common: Common = field(default_factory=Common)  # what is told once of the class
    notices: tuple[str, ...] = ()  # about rosters, deadlines and the like
    undecided: tuple[str, ...] = ()  # about names and times, for a person to decide
    renewed: tuple[str, ...] = ()  # exercises that were judged again for their suites
    changed: tuple[str, ...] = ()  # what has become of marks
    grades: Path = Path()  # where they are
    platform: str = ""  # that named what was handed in

    @property
    def unbegun(self) -> list[str]:
        """The exercises that no student has started."""
        begun = [row.states for row in self.rows if row.states]
        columns = zip(self.verdicts.points, zip(*begun, strict=True), strict=False)
        return [slug for slug, states in columns if set(states) == {State.NOT_STARTED}]

    @property
    def lost(self) -> int:
        """How many submissions could not be graded."""
        return sum(not row.graded for row in self.rows)

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
        if self.unbegun and len(self.rows) >= SMALLEST_CLASS:
            yield (
                f"no student has started {_shorts(self.unbegun)}, but they count towards the "
                "score: --only chooses the exercises that count"
            )

    def questions(self) -> Iterator[str]:
        """Yield what only a person can decide, each with the option that settles it."""
        if unread := [*self._unread()]:
            yield (
                f"not read, and so without points: {few(unread)}; ask for the files again, or give "
                "points with --overrules overrules.csv"
            )
        yield from self.undecided

    def _unread(self) -> Iterator[str]:
        """Who could not be graded, or not in all: with the exercises; none if it is in none."""
        for row in self.rows:
            states = zip(self.verdicts.points, row.states, strict=False)
            slugs = [slug for slug, state in states if state is State.NOT_GRADABLE]
            if slugs or not row.graded:
                yield f"{row.student} ({_shorts(slugs)})" if slugs else row.student


def _shorts(slugs: list[str] | tuple[str, ...]) -> str:
    return ", ".join(exercises()[slug].short for slug in slugs)


def class_verdict(journal: Journal, options: Options, plan: Plan, groups: Alike) -> ClassVerdict:
    """The verdicts on these students, as they are reported.

    Args:
        journal: where the verdicts are.
        options: how they were found.
        plan: what is done with them before anybody reads them.
        groups: flags for work that is much alike; filled in before the verdicts are read.
    """
    verdicts = ClassVerdict(
        lambda: (
            replace(_flagged(verdict, groups), proof_points=options.proof_points)
            for verdict in journal.verdicts(plan.adjusting.sources)
        ),
        {slug: options.points[slug] for slug in options.slugs},
        options.seed,
        options.diagnosis,
        journal.proofs,
        options.proof_points,
    )
    return adjusted(verdicts, plan.adjusting)


def _flagged(verdict: SubmissionVerdict, groups: Alike) -> SubmissionVerdict:
    """With the flags that need the whole class: work that is much like another's."""
    flagged = list(verdict.exercises)
    for place, exercise in enumerate(flagged):
        likes = (groups.get((verdict.student, work)) for work in flagged_works(exercise.slug))
        if flags := [like.text for like in likes if like]:
            flagged[place] = replace(exercise, flags=(*exercise.flags, *flags))
    return replace(verdict, exercises=tuple(flagged))


# The marks that rose or fell since the tables were last written


@dataclass(frozen=True)
class Marks:
    """The scores of a class by student, and how many points there are; none if that is unknown."""

    scores: Mapping[str, float]
    most: float | None = None


def earlier_marks(folder: Path) -> Marks:
    """Read the marks of the last run, as far as its table can be read."""
    scores: dict[str, float] = {}
    most: float | None = None
    with suppress(OSError, ValueError, csv.Error, TypeError, KeyError):
        text = read_file(folder / GRADES).decode("utf-8-sig")
        for row in csv.DictReader(StringIO(text, newline="")):
            if row["score"]:  # who is missing has none
                scores[row["student"]] = float(row["score"])
            most = float(row["max_score"]) if most is None else most
    return Marks(scores, most)


def changes(before: Marks, now: Marks, judged: int) -> Iterator[str]:
    """Yield a line if the points of the class have changed, and one on the marks that have.

    That no mark has changed is said only if somebody was judged again.
    """
    if before.most is not None and now.most is not None and before.most != now.most:
        yield (
            f"the marks are out of {number(now.most)} now, and were out of {number(before.most)} "
            "in the last run"
        )
    after = {harmless(name): score for name, score in now.scores.items()}
    changed = {name: (score, after[name]) for name, score in before.scores.items()
               if name in after and score != after[name]}  # fmt: skip
    if changed:
        rose = sum(old < new for old, new in changed.values())
        counts = ((rose, "rose"), (len(changed) - rose, "fell"))
        texts = (f"{count} mark{'s' * (count > 1)} {verb}" for count, verb in counts if count)
        yield f"since the last run {', '.join(texts)}: {_names(changed)}"
    elif judged and before.scores.keys() & after.keys():
        yield SAME_MARKS


def _names(changed: Mapping[str, tuple[float, float]]) -> str:
    """Those of whom most changed first."""
    order = sorted(changed, key=lambda name: (-abs(changed[name][1] - changed[name][0]), name))
    parts = [
        f"{shown(name)} {number(changed[name][0], DIGITS)} → {number(changed[name][1], DIGITS)}"
        for name in order[:MOST_NAMES]
    ]
    more = len(order) - MOST_NAMES
    return ", ".join([*parts, f"and {more} more"] if more > 0 else parts)
