"""One run of the grader: from a folder of submissions to a folder of grades."""

import json
import os
import secrets
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cache, reduce
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kata.class_verdict import ClassVerdict, SubmissionVerdict
from kata.course.curriculum import exercises
from kata.course.source import UnusableError, contract
from kata.errors import HostError, UserError
from kata.files import read_table
from kata.grading import changes, class_results, one_student
from kata.grading.adjusting.choices import NOTHING_ELSE, Choices
from kata.grading.adjusting.plan import Plan, planned
from kata.grading.class_results import class_verdict
from kata.grading.collecting.students import NOBODY, Attribution, Notices
from kata.grading.collecting.submissions import HandedIn, listing, reading
from kata.grading.interrupts import undisturbed
from kata.grading.journal import NAME as JOURNAL
from kata.grading.journal import Journal, alone
from kata.grading.judges.pool import JudgePool
from kata.grading.options import Options
from kata.grading.progress import Progress, progress
from kata.grading.reports import side_by_side, tables
from kata.grading.reports.common.pairs import pairs
from kata.grading.reports.terminal_table import Common, Row, row
from kata.grading.similarity.in_background import Alike, SimilarityProcess
from kata.grading.similarity.pairs import TwoWorks
from kata.proved import PROOF, Proved
from kata.verdict import State
from kata.words import say

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
    sure: bool = False  # that the submissions are what they are taken for
    again: tuple[str, ...] = ()  # students who are judged again, whatever is known
    explained: str = ""  # the student who alone is graded, to be explained
    whose: Attribution = NOBODY  # work is, beyond what names say
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
    undecided: tuple[str, ...] = ()  # about names and times, for a person to decide
    renewed: tuple[str, ...] = ()  # exercises that were judged again for their suites
    changed: tuple[str, ...] = ()  # what has become of marks
    grades: Path = Path()  # where they are
    platform: str = ""  # that named what was handed in

    @property
    def unbegun(self) -> list[str]:
        """The exercises that no student has started."""
        begun = [each.states for each in self.rows if each.states]
        columns = zip(self.found.points, zip(*begun, strict=True), strict=False)
        return [slug for slug, states in columns if set(states) == {State.NOT_STARTED}]

    @property
    def unread(self) -> list[tuple[str, list[str]]]:
        """Who could not be graded, or not in all: with the exercises; none if it is in none."""
        slugs = [*self.found.points]
        places = {each.student: [exercises()[slug].short
                                 for slug, state in zip(slugs, each.states, strict=False)
                                 if state is State.NOT_GRADABLE] for each in self.rows}  # fmt: skip
        return [(each.student, places[each.student]) for each in self.rows
                if places[each.student] or not each.graded]  # fmt: skip

    @property
    def lost(self) -> int:
        """How many submissions could not be graded."""
        return sum(not each.graded for each in self.rows)


def grade(run: Run, folder: Path | None = None) -> Report:
    """Grade what has not been graded yet; the results go to `folder`, else to `run.grades`."""
    _check_solutions()
    told = [] if folder else [*_begun_anew(run)]
    notices = Notices(notes=told)
    students = listing(run.submissions, run.grades, run.whose, notices)
    if folder is None and notices.doubt and not run.sure:
        form = notices.form(len(students))
        raise UserError(say("grading.doubt", path=run.submissions, form=form, doubt=notices.doubt))
    apart = one_student.place(run.submissions, run.grades, students)
    if folder is None and apart != run.grades:
        told.append(say("grading.apart", path=run.grades, apart=apart))
        run = replace(run, grades=apart, options=replace(run.options, seed=_known_seed(run)))
    plan = planned(students, run.choices, run.options, run.grades, strict=folder is None)
    if run.explained:
        sources = one_student.meant([run.explained], plan.adjusting)
        students = [each for each in students if each.name in sources]
        plan = planned(students, run.choices, run.options, run.grades, strict=False)
    folder = folder or run.grades
    folder.mkdir(parents=True, exist_ok=True)
    again = one_student.meant(run.again, plan.adjusting)
    with alone(folder):
        form = f"{run.submissions}: {notices.form(len(students))}"
        report = _graded(replace(run, again=again), folder, plan, form)
    undecided = (*notices.undecided, *plan.undecided)
    platform = notices.recognised.platform if notices.recognised else ""
    return replace(report, told=(*told, *plan.told), undecided=undecided, platform=platform)


def _check_solutions() -> None:
    """The reference has to be readable: its names tell which files are whose answers."""
    for each in exercises().values():
        try:
            contract(each)
        except UnusableError as error:
            place, reason = each.solution.name, str(error).splitlines()[0]
            raise HostError(say("judges.own-fault", where=place, reason=reason)) from None


def _begun_anew(run: Run) -> Iterator[str]:
    """Take up nothing from grades that lie inside of what is graded: they may be handed in."""
    submissions = run.submissions.resolve()
    inside = run.grades.parent.resolve() / run.grades.name
    if not inside.is_relative_to(submissions) or submissions.is_file():
        return
    if run.grades.is_symlink():
        raise UserError(say("grading.linked", path=run.grades))
    there = [path for name in (JOURNAL, RUN) if os.path.lexists(path := run.grades / name)]
    for path in there:
        path.unlink()
    if there:
        yield say("grading.inside", path=run.grades)


def _graded(run: Run, folder: Path, plan: Plan, form: str) -> Report:
    known = side_by_side.given(run.given) if run.given else None
    options = replace(run.options, seed=_seed(run, folder))
    journal = Journal(folder, options)
    outdated, renewed = journal.outdated, tuple(journal.renewed(plan.sources))
    before, most = changes.scores_in(folder), changes.most_in(folder)
    for name in run.again:
        journal.forget(name)
    with undisturbed():
        listener = SimilarityProcess(known)
    groups: Alike = {}
    found = class_verdict(journal, options, plan, groups)
    try:
        now = _grade(run, options, _read(plan, listener, options), plan, journal, form)
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
    scores = {each.student: each.score for each in rows}
    changed = (*changes.of_points(most, found.most), *changes.told(before, scores, now))
    return Report(
        rows, now, outdated, found, common, renewed=renewed, changed=changed, grades=folder
    )


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
            tested = handed.proofs.keys() & set(options.slugs)
            files |= {PROOF + slug: handed.proofs[slug] for slug in sorted(tested)}
            listener.add(plan.call(handed.student), files)
            yield handed


def _grade(
    run: Run,
    options: Options,
    everybody: Iterator[HandedIn],
    plan: Plan,
    journal: Journal,
    form: str,
) -> int:
    twins, most = _Twins(journal, options.slugs), len(plan.students)
    with progress(most, run.workers, form) as told:
        todo = twins.parts(_unknown(everybody, journal, told), told)
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
    """Equal content is graded once, for everybody who handed it in.

    Exercises are graded first, and proofs when all exercises are: tests that take their time cost
    no exercise its mark.
    """

    def __init__(self, journal: Journal, slugs: Iterable[str]) -> None:
        self.graded = 0
        self._journal = journal
        self._judged = dict.fromkeys(slugs, False)  # for a judge of proofs, who is asked no more
        self._waiting: dict[str, list[HandedIn]] = {}
        self._whole: dict[str, HandedIn] = {}  # by student
        self._found: dict[str, list[SubmissionVerdict]] = {}  # on the parts, by student

    def parts(self, submissions: Iterator[HandedIn], told: Progress) -> Iterator[HandedIn]:
        """What is to be judged at a time."""
        proofs = []
        for handed in self._first(submissions, told):
            self._whole[handed.student], self._found[handed.student] = handed, []
            if handed.files and handed.proofs:
                proofs.append(replace(handed, files={}, settled={**self._judged, **handed.settled}))
                yield replace(handed, proofs={})
            else:
                yield handed
        yield from proofs

    def _first(self, submissions: Iterator[HandedIn], told: Progress) -> Iterator[HandedIn]:
        """The first submission of each content; one that cannot be judged needs no judge."""
        for handed in submissions:
            if handed.problem or self._journal.is_settled(handed):
                self.graded += self._journal.is_new(handed.student) and not handed.problem
                self._journal.note(handed, _unjudged(handed) or self._journal.settled(handed))
                told.step()
            elif handed.digest in self._waiting:
                self._waiting[handed.digest].append(handed)
            else:
                self._waiting[handed.digest] = []
                yield _with_settled(handed, self._journal.settled(handed))

    def note(self, part: HandedIn, verdict: SubmissionVerdict) -> int:
        """Note the verdict for everybody who has handed this in; returns how many are done."""
        handed, found = self._whole[part.student], self._found[part.student]
        found.append(verdict if part.files else self._of_proofs(part, verdict))
        if len(found) < bool(handed.files) + bool(handed.proofs):
            if part.files and not verdict.problem:  # a run that is interrupted keeps it
                self._journal.note(part, _together(self._journal.settled(part), verdict))
            return 0
        del self._whole[part.student], self._found[part.student]
        whole = reduce(_together, found, self._journal.settled(handed))
        everybody = [handed, *self._waiting.pop(handed.digest)]
        for each in everybody:
            self._write(each, whole)
        return len(everybody)

    def _of_proofs(self, part: HandedIn, verdict: SubmissionVerdict) -> SubmissionVerdict:
        """Turn what has become of the judge into a problem of the proofs, not of the exercises."""
        if not verdict.problem:
            return verdict
        left = [slug for slug in self._judged
                if slug in part.proofs and PROOF + slug not in part.settled]  # fmt: skip
        proofs = tuple(Proved(slug, problem=verdict.problem) for slug in left)
        return replace(verdict, problem="", proofs=proofs)

    def _write(self, handed: HandedIn, verdict: SubmissionVerdict) -> None:
        self._journal.note(handed, verdict)
        self.graded += not verdict.problem


def _with_settled(handed: HandedIn, known: SubmissionVerdict) -> HandedIn:
    """For a judge, who need not find again what is known."""
    settled = {each.slug: each.state is State.PASSED for each in known.exercises}
    return replace(handed, settled=settled | {PROOF + each.slug: True for each in known.proofs})


def _together(known: SubmissionVerdict, new: SubmissionVerdict) -> SubmissionVerdict:
    """What was known and what was judged, in course order."""
    if new.problem or known.problem:
        return new if new.problem else known
    found = {each.slug: each for each in (*known.exercises, *new.exercises)}
    proofs = {each.slug: each for each in (*known.proofs, *new.proofs)}
    return replace(
        new,
        exercises=tuple(found[slug] for slug in exercises() if slug in found),
        proofs=tuple(proofs[slug] for slug in exercises() if slug in proofs),
        marks=(),
    )


def _unjudged(handed: HandedIn) -> SubmissionVerdict | None:
    if not handed.problem:
        return None
    return SubmissionVerdict(handed.student, notes=handed.notes, problem=handed.problem)


def _known_seed(run: Run) -> int:
    """The seed that was chosen, else that of the earlier run; 0 if there is none."""
    path = run.grades / RUN
    known: Any = None
    with suppress(OSError, ValueError):
        known = read_table(path).get("seed")
    return run.options.seed or (known if isinstance(known, int) else 0)


def _seed(run: Run, folder: Path) -> int:
    """The seed of an earlier run, else a new one."""
    seed = _known_seed(run) or 1 + secrets.randbelow(10**9)
    with tables.replacing(folder / RUN) as file:
        json.dump({"seed": seed, **run.choices.about}, file)
    return seed
