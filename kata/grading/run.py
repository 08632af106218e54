"""One run of the grader: from a folder of submissions to a folder of grades.

Called by `cli`. It joins `collecting`, `journal`, `pool`, `adjusted` and `reports`, but judges
nothing itself: no submission runs in this process, and importing it imports neither torch nor dask.
Grades that lie inside the submissions may be forged, so they are deleted and not resumed from.
"""

import json
import os
import secrets
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache, reduce
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kata.class_verdict import ClassVerdict, SubmissionVerdict
from kata.course.curriculum import did_you_mean, exercises
from kata.course.source import UnusableError, contract
from kata.errors import HostError, UserError
from kata.files import read_table, replacing
from kata.grading.adjusted import Adjusting, adjusted
from kata.grading.alike import Alike, TwoWorks, flagged_works, likenesses, read_shared_code
from kata.grading.collecting.students import NOBODY, Attribution, Notices, Student
from kata.grading.collecting.submissions import Submission, listing, reading
from kata.grading.journal import JOURNAL, Journal, alone
from kata.grading.options import Options
from kata.grading.people import bare
from kata.grading.plan import ABOUT, NOTHING_ELSE, Choices, Plan, planned
from kata.grading.pool import JudgePool, own_fault_at
from kata.grading.progress import Progress, progress
from kata.grading.reports import class_page, formats
from kata.grading.reports.formats import Marks, changes, earlier_marks
from kata.grading.reports.terminal import Report
from kata.grading.tables import harmless
from kata.marks import PROOF, Proved
from kata.text import clean, printable
from kata.verdict import State

if TYPE_CHECKING:
    from kata.grading.cluster import Cluster

APART = "single"  # the folder, in that of a class, for the grades of single students


@dataclass(frozen=True)
class Run:
    """The work to grade, the ways to grade it, and the folder of the grades."""

    submissions: Path
    grades: Path
    options: Options
    workers: int
    reports: tuple[str, ...] = ()  # beside those that are always written
    cluster: str = ""  # the address of a dask scheduler; empty for this machine
    tls: tuple[Path, ...] = ()  # of its connections: authority, certificate, key
    trusted: bool = False  # whether workers of a cluster may lack a sandbox
    alike: bool = False  # whether to write a page with works that are alike, side by side
    shared_code: Path | None = None  # a folder of code that everybody had
    sure: bool = False  # that the submissions are what they are taken for
    again: tuple[str, ...] = ()  # students to judge again, in spite of earlier verdicts
    explained: str = ""  # the student who alone is graded, to be explained
    attribution: Attribution = NOBODY  # beyond what names say
    choices: Choices = NOTHING_ELSE  # about marks and names, once there are verdicts


def grade(run: Run, folder: Path | None = None) -> Report:
    """Grade what has not been graded yet; the results go to `folder`, else to `run.grades`."""
    _check_solutions()
    notices = Notices(notes=[] if folder else [*_begun_anew(run)])
    students = listing(run.submissions, run.grades, run.attribution, notices)
    if folder is None:
        if notices.doubt and not run.sure:
            raise UserError(
                f"{_form(run, students, notices)}. Nothing was graded, as {notices.doubt}. Is it "
                "what you mean? Then add --yes"
            )
        run = _apart(run, students, notices)
    plan = planned(students, run.choices, run.options, run.grades, strict=folder is None)
    if run.explained:
        sources = _sources([run.explained], plan.adjusting)
        students = [student for student in students if student.name in sources]
        plan = planned(students, run.choices, run.options, run.grades, strict=False)
    folder = folder or run.grades
    folder.mkdir(parents=True, exist_ok=True)
    again = _sources(run.again, plan.adjusting)
    with alone(folder):
        report = _graded(replace(run, again=again), folder, plan, _form(run, students, notices))
    return replace(
        report,
        notices=(*notices.notes, *plan.notices),
        undecided=(*notices.undecided, *plan.undecided),
        platform=notices.recognised.platform if notices.recognised else "",
    )


def _check_solutions() -> None:
    """Raise a HostError unless the reference can be read: its names tell the answers apart."""
    for exercise in exercises().values():
        try:
            contract(exercise)
        except UnusableError as error:
            place, reason = exercise.solution.name, str(error).splitlines()[0]
            raise HostError(own_fault_at(place, reason)) from None


def _begun_anew(run: Run) -> Iterator[str]:
    """Delete grades that lie inside the submissions: a student may have written them."""
    submissions = run.submissions.resolve()
    inside = run.grades.parent.resolve() / run.grades.name
    if not inside.is_relative_to(submissions) or submissions.is_file():
        return
    if run.grades.is_symlink():
        raise UserError(
            f"{run.grades} is a link, and lies inside of what is graded: --grades names a folder "
            "elsewhere"
        )
    paths = [path for name in (JOURNAL, ABOUT) if os.path.lexists(path := run.grades / name)]
    for path in paths:
        path.unlink()
    if paths:
        yield (
            f"{run.grades}/ lies inside of what is graded, so that anybody may have put grades "
            "there: nothing was taken from it; --grades names a folder elsewhere, from which runs "
            "resume"
        )


def _form(run: Run, students: Collection[Student], notices: Notices) -> str:
    return clean(f"{run.submissions}: {notices.form(len(students))}")


def _apart(run: Run, students: Collection[Student], notices: Notices) -> Run:
    """Move the grades of one student elsewhere, where they would replace those of a class."""
    path = run.submissions.resolve()
    places = {place.path for student in students for place in student.places}
    if len(students) > 1 or places != {path}:  # a class, if only with one student
        return run
    (student,) = students
    if not earlier_marks(run.grades).scores.keys() - {harmless(student.name)}:
        return run
    apart = run.grades / APART / path.name
    notices.notes.append(
        f"{run.grades} has the grades of a class, which stay as they are: those of this student "
        f"are in {apart}"
    )
    return replace(run, grades=apart, options=replace(run.options, seed=_earlier_seed(run)))


def _sources(names: Iterable[str], adjusting: Adjusting) -> tuple[str, ...]:
    """Return the sources that these names mean; raise UserError for a name of nobody."""
    sources: list[str] = []
    for name in names:
        if not (works := adjusting.sources_of(name)):
            if bare(name) & bare(*(missing.student for missing in adjusting.missing)):
                raise UserError(f"{printable(name)} is on the roster, and has handed in nothing")
            everybody = [entry.student for entry in adjusting.entries if entry.source]
            close = did_you_mean(name, everybody)
            raise UserError(f"nobody in the table is called {printable(name)}{close}")
        sources += works
    return tuple(sources)


def _earlier_seed(run: Run) -> int:
    """Return the seed that was chosen, else that of the earlier run; 0 if there is none."""
    seed: Any = None
    with suppress(OSError, ValueError):
        seed = read_table(run.grades / ABOUT).get("seed")
    return run.options.seed or (seed if isinstance(seed, int) else 0)


def _seed(run: Run, folder: Path) -> int:
    """Return the seed of an earlier run, else a new one."""
    seed = _earlier_seed(run) or 1 + secrets.randbelow(10**9)
    with replacing(folder / ABOUT) as file:
        json.dump({"seed": seed, **({"anonymous": True} if run.choices.key else {})}, file)
    return seed


def _graded(run: Run, folder: Path, plan: Plan, form: str) -> Report:
    texts = read_shared_code(run.shared_code) if run.shared_code else None
    options = replace(run.options, seed=_seed(run, folder))
    journal = Journal(folder, options)
    outdated, renewed = journal.outdated, tuple(journal.renewed(plan.adjusting.sources))
    before = earlier_marks(folder)
    for name in run.again:
        journal.forget(name)
    alike: Alike = {}
    verdicts = _class_verdict(journal, options, plan, alike)
    try:
        now = _grade(run, options, plan, _read(plan), journal, form)
    finally:  # an interrupted run writes the verdicts that it has
        journal.close()
        pairs_alike = _compare(plan, journal, texts, alike)
        about = {"seed": options.seed, "exercises": [*options.slugs]}
        counts = formats.write_tables(folder, verdicts, about)
        if folder == run.grades:
            formats.write(verdicts, counts, folder, run.reports)
            if run.alike:
                _side_by_side(plan, pairs_alike, folder)
    marks = Marks({student.student: student.score for student in counts.students}, verdicts.most)
    changed = tuple(changes(before, marks, now))
    return Report(
        verdicts, counts, now, outdated, alike, renewed=renewed, changed=changed, grades=folder
    )


def _class_verdict(journal: Journal, options: Options, plan: Plan, alike: Alike) -> ClassVerdict:
    """Make the verdicts as they are reported; `alike` is filled in before they are read."""
    verdicts = ClassVerdict(
        lambda: (
            replace(_flagged(verdict, alike), proof_points=options.proof_points)
            for verdict in journal.verdicts(plan.adjusting.sources)
        ),
        {slug: options.points[slug] for slug in options.slugs},
        options.seed,
        options.diagnosis,
        journal.proofs,
        options.proof_points,
    )
    return adjusted(verdicts, plan.adjusting)


def _flagged(verdict: SubmissionVerdict, alike: Alike) -> SubmissionVerdict:
    """Add the flags that need the whole class: on work that is much like another student's."""
    flagged = list(verdict.exercises)
    for place, exercise in enumerate(flagged):
        likes = (alike.get((verdict.student, work)) for work in flagged_works(exercise.slug))
        if flags := [like.text for like in likes if like]:
            flagged[place] = replace(exercise, flags=(*exercise.flags, *flags))
    return replace(verdict, exercises=tuple(flagged))


def _compare(
    plan: Plan, journal: Journal, texts: Mapping[str, list[str]] | None, alike: Alike
) -> list[TwoWorks]:
    """Note the works of this class that are alike, and return the strongest pairs."""
    sources = plan.adjusting.sources
    works = ((plan.label(source), journal.works(source)) for source in sources)
    by_label, pairs_alike = likenesses(works, texts)
    alike |= plan.by_source(by_label)
    return pairs_alike


def _side_by_side(plan: Plan, works: list[TwoWorks], folder: Path) -> None:
    students = {plan.label(student.name): student for student in plan.students}
    with reading() as read:
        class_page.write_alike(works, cache(lambda name: read(students[name]).files), folder)


def _read(plan: Plan) -> Iterator[Submission]:
    with reading() as read:
        for student in plan.students:
            yield plan.submission(read(student))


def _grade(
    run: Run, options: Options, plan: Plan, works: Iterator[Submission], journal: Journal, form: str
) -> int:
    """Judge the work that has no verdict yet, and return how many were graded."""
    most = len(plan.students)
    with progress(most, run.workers, form) as status:
        twins = Twins(journal, options.slugs, status)
        todo = twins.parts(works)
        first = next(todo, None)
        if first is None:  # no judge has to be started
            return twins.graded

        def begun(part: Submission) -> Submission:
            status.begin(part.student)
            return part

        crew = _judges(run, options, min(run.workers, most))
        try:
            for part, verdict in crew.grade(map(begun, chain([first], todo))):
                status.end(part.student)
                twins.note(part, plan.verdict(verdict))
        finally:
            crew.end()
    return twins.graded


def _judges(run: Run, options: Options, count: int) -> "JudgePool | Cluster":
    if not run.cluster:
        return JudgePool(options, count)
    from kata.grading.cluster import Cluster  # dask is optional

    return Cluster(options, run.cluster, count, run.tls, trusted=run.trusted)


class Twins:
    """Works with equal keys, which are graded once for all students who submitted them.

    Exercises are graded first, and proofs when all exercises are: tests that take their time cost
    no exercise its mark.
    """

    def __init__(self, journal: Journal, slugs: Iterable[str], status: Progress) -> None:
        self.graded = 0
        self._journal, self._status = journal, status
        self._judged = dict.fromkeys(slugs, False)  # for a judge of proofs, who is asked no more
        self._waiting: dict[tuple[str, ...], list[Submission]] = {}  # by the keys of their work
        self._whole: dict[str, Submission] = {}  # by student
        self._verdicts: dict[str, list[SubmissionVerdict]] = {}  # on the parts, by student

    def parts(self, works: Iterator[Submission]) -> Iterator[Submission]:
        """Yield the work to judge: of a student first the exercises, in the end the proofs."""
        proofs = []
        for submission in self._first(works):
            self._whole[submission.student], self._verdicts[submission.student] = submission, []
            if submission.files and submission.proofs:
                proofs.append(
                    replace(submission, files={}, settled={**self._judged, **submission.settled})
                )
                yield replace(submission, proofs={})
            else:
                yield submission
        yield from proofs

    def _first(self, works: Iterator[Submission]) -> Iterator[Submission]:
        """Yield the first of equal works, without those that need no judge."""
        for submission in works:
            if self._journal.knows(submission):
                self._status.step()
            elif submission.problem:
                verdict = SubmissionVerdict(submission.student, problem=submission.problem)
                self._journal.note(submission, verdict)
                self._status.step()
            elif self._journal.is_settled(submission):
                self.graded += self._journal.is_new(submission.student)
                self._journal.note(submission, self._journal.settled(submission))
                self._status.step()
            elif (work := self._journal.work(submission)) in self._waiting:
                self._waiting[work].append(submission)
            else:
                self._waiting[work] = []
                yield _with_settled(submission, self._journal.settled(submission))

    def note(self, part: Submission, verdict: SubmissionVerdict) -> None:
        """Note the verdict for all students with this work, once all its parts are judged."""
        submission, verdicts = self._whole[part.student], self._verdicts[part.student]
        verdicts.append(verdict if part.files else self._of_proofs(part, verdict))
        if len(verdicts) < bool(submission.files) + bool(submission.proofs):
            if part.files and not verdict.problem:  # a run that is interrupted keeps it
                self._journal.note(part, _together(self._journal.settled(part), verdict))
            return
        del self._whole[part.student], self._verdicts[part.student]
        whole = reduce(_together, verdicts, self._journal.settled(submission))
        for twin in (submission, *self._waiting.pop(self._journal.work(submission))):
            self._journal.note(twin, whole)
            self.graded += not whole.problem
            self._status.step()

    def _of_proofs(self, part: Submission, verdict: SubmissionVerdict) -> SubmissionVerdict:
        """Turn what has become of the judge into a problem of the proofs, not of the exercises."""
        if not verdict.problem:
            return verdict
        slugs = [slug for slug in self._judged
                 if slug in part.proofs and PROOF + slug not in part.settled]  # fmt: skip
        proofs = tuple(Proved(slug, problem=verdict.problem) for slug in slugs)
        return replace(verdict, problem="", proofs=proofs)


def _with_settled(submission: Submission, settled: SubmissionVerdict) -> Submission:
    """Tell the judge of this work what is settled already."""
    passed = {exercise.slug: exercise.state is State.PASSED for exercise in settled.exercises}
    return replace(
        submission, settled=passed | {PROOF + proof.slug: True for proof in settled.proofs}
    )


def _together(settled: SubmissionVerdict, new: SubmissionVerdict) -> SubmissionVerdict:
    """Join settled verdicts and new ones, in course order."""
    if new.problem or settled.problem:
        return new if new.problem else settled
    by_slug = {exercise.slug: exercise for exercise in (*settled.exercises, *new.exercises)}
    proofs = {proof.slug: proof for proof in (*settled.proofs, *new.proofs)}
    return replace(
        new,
        exercises=tuple(by_slug[slug] for slug in exercises() if slug in by_slug),
        proofs=tuple(proofs[slug] for slug in exercises() if slug in proofs),
        marks=(),
        works=tuple({work.name: work for work in (*settled.works, *new.works)}.values()),
    )
