"""One run of the grader: from a folder of submissions to a folder of grades."""

import json
import os
import secrets
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kata.grading import class_results
from kata.grading.adjusting.choices import NOTHING_ELSE, Choices
from kata.grading.adjusting.plan import Plan, planned
from kata.grading.class_results import class_verdict
from kata.grading.collecting.students import NOBODY
from kata.grading.collecting.submissions import HandedIn, listing, reading
from kata.grading.collecting.whose.options import Whose
from kata.grading.interrupts import undisturbed
from kata.grading.journal import Journal, alone
from kata.grading.judges.pool import JudgePool
from kata.grading.options import Options
from kata.grading.progress import Progress, progress
from kata.grading.reports import side_by_side, tables
from kata.grading.reports.common.pairs import pairs
from kata.grading.reports.terminal_table import Common, Row, row
from kata.grading.similarity.in_background import Alike, SimilarityProcess
from kata.grading.similarity.pairs import TwoWorks
from kata.verdict import ClassVerdict, State, SubmissionVerdict

if TYPE_CHECKING:
    from kata.grading.judges.cluster import Cluster

RUN = "about.json"


@dataclass(frozen=True)
class Run:
    """What is graded, how, and where the grades go."""

    submissions: Path
    grades: Path
    options: Options
    workers: int
    reports: tuple[str, ...] = ()  # beside those that are always written
    cluster: str = ""  # the address of a dask scheduler; empty for this machine
    tls: tuple[Path, ...] = ()  # of its connections: authority, certificate, key
    trusted: bool = False  # whether workers of a cluster may lack a sandbox
    alike: bool = False  # whether works that are alike are shown side by side
    given: Path | None = None  # a folder of code that everybody had
    whose: Whose = NOBODY  # work is, beyond what names say
    choices: Choices = NOTHING_ELSE  # about marks and names, once there are verdicts


@dataclass(frozen=True)
class Report:
    """The results of a run."""

    rows: list[Row]
    now: int  # graded in this run, the others in an earlier one
    outdated: str  # why verdicts of earlier runs do not count; empty if they do
    found: ClassVerdict
    common: Common = field(default_factory=Common)
    told: tuple[str, ...] = ()  # about rosters, deadlines and the like

    @property
    def unbegun(self) -> list[str]:
        """The exercises that no student has started."""
        begun = [each.states for each in self.rows if each.states]
        columns = zip(self.found.points, zip(*begun, strict=True), strict=False)
        return [slug for slug, states in columns if set(states) == {State.NOT_STARTED}]

    @property
    def lost(self) -> int:
        """How many submissions could not be graded."""
        return sum(not each.graded for each in self.rows)


def grade(run: Run, folder: Path | None = None) -> Report:
    """Grade what has not been graded yet; the results go to `folder`, else to `run.grades`."""
    told: list[str] = []
    students = listing(run.submissions, run.grades, run.whose, told.append)
    plan = planned(students, run.choices, run.options, run.grades, strict=folder is None)
    folder = folder or run.grades
    folder.mkdir(parents=True, exist_ok=True)
    with alone(folder):
        report = _graded(run, folder, plan)
    return replace(report, told=(*told, *report.told))


def _graded(run: Run, folder: Path, plan: Plan) -> Report:
    known = side_by_side.given(run.given) if run.given else None
    options = replace(run.options, seed=_seed(run, folder))
    journal = Journal(folder, options)
    outdated = journal.outdated
    with undisturbed():
        listener = SimilarityProcess(known)
    groups: Alike = {}
    found = class_verdict(journal, options, plan, groups)
    try:
        now = _grade(run, options, _read(plan, listener, options), plan, journal)
    finally:  # an interrupted run writes what it has found
        journal.close()
        groups |= plan.by_source(listener.end())
        about = {"seed": options.seed, "exercises": list(options.slugs)}
        tables.write(folder, found, about)
        if folder == run.grades:
            class_results.report(folder, options, plan, groups, run.reports)
            if run.alike:
                _side_by_side(plan, listener.pairs, folder)
    common = Common(pairs(groups), {each.text for each in groups.values()})
    rows = [row(each, common) for each in found.submissions()]
    return Report(rows, now, outdated, found, common, plan.told)


def _side_by_side(plan: Plan, works: list[TwoWorks], folder: Path) -> None:
    known = {plan.call(each.name): each for each in plan.students}
    with reading() as read:
        side_by_side.write(works, cache(lambda name: read(known[name]).files), folder)


def _read(plan: Plan, listener: SimilarityProcess, options: Options) -> Iterator[HandedIn]:
    """Everybody's submission, also passed on to the comparison."""
    with reading() as read:
        for student in plan.students:
            handed = plan.handed(read(student))
            chosen = handed.files.keys() & set(options.slugs)
            files = {slug: handed.files[slug] for slug in sorted(chosen)}
            listener.add(plan.call(handed.student), files)
            yield handed


def _grade(
    run: Run, options: Options, everybody: Iterator[HandedIn], plan: Plan, journal: Journal
) -> int:
    twins, most = _Twins(journal), len(plan.students)
    with progress(most, run.workers) as told:
        todo = twins.first(_unknown(everybody, journal, told), told)
        first = next(todo, None)
        if first is None:
            return twins.graded
        with undisturbed():
            crew = _judges(run, options, min(run.workers, most))
        try:
            for handed, verdict in crew.grade(_begun(_chained(first, todo), told)):
                told.end(handed.student)
                for _ in range(twins.note(handed, plan.verdict(verdict))):
                    told.step()
        finally:
            crew.end()
    return twins.graded


def _begun(submissions: Iterator[HandedIn], told: Progress) -> Iterator[HandedIn]:
    for handed in submissions:
        told.begin(handed.student)
        yield handed


def _judges(run: Run, options: Options, count: int) -> "JudgePool | Cluster":
    """Judges on this machine, or on a cluster."""
    if not run.cluster:
        return JudgePool(options, count)
    from kata.grading.judges.cluster import Cluster  # dask is optional

    return Cluster(options, run.cluster, count, run.tls, trusted=run.trusted)


def _chained(first: HandedIn, others: Iterator[HandedIn]) -> Iterator[HandedIn]:
    yield first
    yield from others


def _unknown(everybody: Iterator[HandedIn], journal: Journal, told: Progress) -> Iterator[HandedIn]:
    """Submissions that have not been graded for this student yet."""
    for handed in everybody:
        if journal.knows(handed):
            told.step()
        else:
            yield handed


class _Twins:
    """Equal content is graded once, for everybody who handed it in."""

    def __init__(self, journal: Journal) -> None:
        self.graded = 0
        self._journal = journal
        self._waiting: dict[str, list[HandedIn]] = {}

    def first(self, submissions: Iterator[HandedIn], told: Progress) -> Iterator[HandedIn]:
        """The first submission of each content; one that cannot be judged needs no judge."""
        for handed in submissions:
            verdict = _unjudged(handed) or self._journal.of(handed.digest)
            if verdict:
                self._write(handed, verdict)
                told.step()
            elif handed.digest in self._waiting:
                self._waiting[handed.digest].append(handed)
            else:
                self._waiting[handed.digest] = []
                yield handed

    def note(self, handed: HandedIn, verdict: SubmissionVerdict) -> int:
        """Note the verdict for everybody who has handed this in; returns how many."""
        everybody = [handed, *self._waiting.pop(handed.digest)]
        for each in everybody:
            self._write(each, verdict)
        return len(everybody)

    def _write(self, handed: HandedIn, verdict: SubmissionVerdict) -> None:
        self._journal.note(handed, verdict)
        self.graded += not verdict.problem


def _unjudged(handed: HandedIn) -> SubmissionVerdict | None:
    if not handed.problem:
        return None
    return SubmissionVerdict(handed.student, notes=handed.notes, problem=handed.problem)


def _seed(run: Run, folder: Path) -> int:
    """The seed that was chosen, else that of the earlier run, else a new one."""
    path = run.grades / RUN
    known: Any = None
    if path.exists():
        try:
            known = json.loads(path.read_text(encoding="utf-8")).get("seed")
        except (ValueError, AttributeError):
            known = None
    seed = run.options.seed or (known if isinstance(known, int) else 0)
    seed = seed or 1 + secrets.randbelow(10**9)
    with tables.replacing(folder / RUN) as file:
        json.dump({"seed": seed, **run.choices.about}, file)
    return seed


def cores() -> int:
    """How many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
