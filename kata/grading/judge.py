"""The judge of whole submissions, by the graded suites and the proofs.

Called by `pool`, `kata.commands.prove` and `kata.upkeep.parity`. It runs beside torch and the
reference, so no submitted code is executed here: that happens in workers, and their answers are
hostile input.
"""

import math
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from hashlib import sha256
from importlib import import_module

from kata.class_verdict import SubmissionVerdict
from kata.course.curriculum import Exercise, exercises
from kata.course.source import UnusableError
from kata.course.target import SUBMISSION, Target, at_sight, reference, whole
from kata.diagnosis.diagnose import diagnose_each
from kata.diagnosis.observe import Finding
from kata.diagnosis.suspects import Suspects, digest, written
from kata.grading.channel import StoppedError, killed_from_outside
from kata.grading.collecting.submissions import Submission
from kata.grading.disclosure import bounded, in_cells, sort_out
from kata.grading.flags import flags, works_of
from kata.grading.options import KILLS, Options
from kata.grading.proof_judge import ProofJudge
from kata.grading.remote import RemoteAttempt
from kata.grading.rubric import mark
from kata.grading.script_judge import Findings, Memory, ScriptJudge, finding
from kata.grading.workers import Launcher, warm_process
from kata.judging import case
from kata.judging.attempt import Attempt
from kata.judging.judge import NOT_JUDGED, Claim, case_of, check, import_torch, inputs, suite
from kata.judging.limits import LONGEST_OUTPUT
from kata.marks import PROOF, Proved
from kata.text import cut, line
from kata.verdict import ClaimVerdict, Diagnosis, ExerciseVerdict, Message, State

# Verdicts on exercises that are kept; a failing one with its messages takes some ten kilobytes.
MOST_EXERCISES = 1024


@dataclass
class Judge:
    """A judge of one submission after the other.

    `starved` says whether a worker of the last one ran out of time without having had it.
    """

    options: Options
    workers: Launcher
    tests: Launcher
    starved: bool = False
    _suspects: dict[str, Suspects] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Set up what stays from one submission to the next."""
        self._by_script = ScriptJudge(self.workers, self.options.timeout)
        self._verdicts = Memory[ExerciseVerdict](MOST_EXERCISES)
        self._proofs = ProofJudge(self.tests, self.workers, self.options.timeout, self.options.seed)

    def grade(self, submission: Submission) -> SubmissionVerdict:
        """Judge everything in one submission that is not settled.

        Raises LostError if the grader's own side fails.
        """
        self.starved = False
        self._by_script.leave()
        if submission.problem:
            return SubmissionVerdict(
                submission.student, notes=submission.notes, problem=submission.problem
            )
        verdicts = tuple(self._exercises(submission))
        self._by_script.leave()
        marks = tuple(mark(verdict, self.options.points[verdict.slug]) for verdict in verdicts)
        return SubmissionVerdict(
            submission.student,
            verdicts,
            marks,
            submission.notes,
            proofs=tuple(self._proved(submission)),
            works=tuple(works_of(self.options.slugs, submission.files, submission.proofs)),
        )

    def _exercises(self, submission: Submission) -> Iterator[ExerciseVerdict]:
        passed = {slug for slug, right in submission.settled.items() if right}
        files = submission.files
        target = Target(SUBMISSION, files, lambda slug: slug in passed, self.options.solutions)
        chosen = [
            exercises()[slug] for slug in self.options.slugs if slug not in submission.settled
        ]
        self.prepare(target, [exercise for exercise in chosen if exercise.slug in files])
        end = time.monotonic() + self.options.patience
        for exercise in chosen:
            if reason := submission.unread.get(exercise.slug):
                claim = ClaimVerdict("not_read", State.NOT_GRADABLE, Message(reason))
                verdict = ExerciseVerdict(exercise.slug, (claim,))
            else:
                verdict = self.exercise(exercise, target, files, end)
            if verdict.state is State.PASSED:
                passed.add(exercise.slug)
            yield in_cells(verdict, submission.notebooks)

    def _proved(self, submission: Submission) -> Iterator[Proved]:
        end = time.monotonic() + self.options.patience_for(len(submission.proofs))
        for slug in self.options.slugs:
            if slug in submission.proofs and PROOF + slug not in submission.settled:
                yield self.proof(slug, submission.proofs[slug], end)

    def proof(self, slug: str, content: bytes, end: float = math.inf) -> Proved:
        """Judge a proof of this exercise, in time for the end of all those beside it."""
        return self._proofs.judge(slug, content, end)

    def end(self) -> None:
        """End all processes."""
        self._by_script.leave()
        self.tests.end()
        self.workers.end_all()

    def prepare(self, target: Target, submitted: Iterable[Exercise]) -> None:
        """Write the scripts, which a worker has to have before it starts to answer them."""
        for exercise in submitted:
            if not at_sight(exercise, target):
                self._by_script.prepare(exercise, claims(exercise))

    def exercise(
        self, exercise: Exercise, target: Target, files: Mapping[str, bytes], end: float
    ) -> ExerciseVerdict:
        """Judge one exercise of a submission."""
        if exercise.slug not in files:
            missing = whole(State.NOT_STARTED, Message("not handed in"))
            return ExerciseVerdict(exercise.slug, (missing,))
        if unjudged := at_sight(exercise, target):
            return ExerciseVerdict(exercise.slug, (unjudged,))
        verdict = self._judged(exercise, target, end)
        return self._fairer(verdict, target, files, end)

    def _fairer(
        self, verdict: ExerciseVerdict, target: Target, files: Mapping[str, bytes], end: float
    ) -> ExerciseVerdict:
        """Return the better verdict: this one, or that without the student's own earlier work.

        Two right answers can fail together: one of them renormalises what the other one never made
        finite.
        """
        below = target.built_on(verdict.slug)
        if verdict.state is State.PASSED or not below:
            return verdict
        target = Target(SUBMISSION, files, solutions=self.options.solutions)
        alone = self._judged(exercises()[verdict.slug], target, end)
        better = mark(alone, 1).score > mark(verdict, 1).score
        return replace(alone, set_aside=below) if better else verdict

    def _judged(self, exercise: Exercise, target: Target, end: float) -> ExerciseVerdict:
        texts = _texts(exercise, target)
        work = repr((exercise.slug, texts, target.stand_ins(exercise.slug)))
        key = sha256(work.encode()).digest()
        if verdict := self._verdicts.get(key):
            return verdict
        observed = self.observed(exercise, target, end)
        verdict = self._verdict(exercise, target, observed)
        self.starved |= observed.starved
        if verdict.state is not State.TIMED_OUT:
            self._verdicts.keep(key, verdict)
        return verdict

    def observed(self, exercise: Exercise, target: Target, end: float) -> "Observed":
        """Ask by script; ask live where a file may keep state or the script fails."""
        begun = time.monotonic()
        if findings := self._by_script.findings(exercise, target, end, claims(exercise)):
            return Observed(findings)
        self._by_script.leave()
        for _ in range(KILLS):
            late = end + time.monotonic() - begun
            attempt = RemoteAttempt(exercise, target, self.workers, self.options.timeout, late)
            try:
                findings = {claim.id: _judge_live(claim, attempt) for claim in claims(exercise)}
            finally:
                attempt.close()
            if not attempt.killed:
                return Observed(findings, attempt.printed, tuple(attempt.events), attempt.starved)
        raise killed_from_outside()

    def _verdict(self, exercise: Exercise, target: Target, observed: "Observed") -> ExerciseVerdict:
        text, solutions = target.source(exercise.slug).text, self.options.solutions
        solution = exercise.solution_in(solutions)
        verdicts = tuple(finding.verdict for finding in observed.findings.values())
        self._check_suite(exercise, verdicts)
        diagnoses = self._diagnoses(exercise, observed.findings, text)
        noticed = sort_out(text, observed.events, verdicts)
        more = " (more was printed)"
        verdict = ExerciseVerdict(
            exercise.slug,
            verdicts,
            target.stand_ins(exercise.slug),
            flags=tuple(flag.text for flag in flags(exercise, text, solution)),
            diagnosis=next(iter(diagnoses), None),
            further=diagnoses[1:],
            printed=cut(observed.printed.strip(), LONGEST_OUTPUT + len(more), more),
            tampering=noticed.tampering,
            left_over=noticed.left_over,
        )
        chosen = tuple(slug for slug in verdict.stand_ins if slug in self.options.slugs)
        return replace(bounded(verdict, solutions), stand_ins=chosen)

    def _check_suite(self, exercise: Exercise, verdicts: tuple[ClaimVerdict, ...]) -> None:
        """Raise SuiteError if a claim that could not compute cannot do so with the reference.

        Then the suite is to blame, and not the submission.
        """
        broken = {claim.name for claim in verdicts
                  if claim.message and claim.message.evidence.startswith(NOT_JUDGED)}  # fmt: skip
        suspects = self._suspects.setdefault(exercise.slug, Suspects(exercise))
        for claim in claims(exercise) if broken else ():
            if claim.id in broken and not suspects.reference.finding(claim).verdict.held:
                where = f"{claim.name} of {exercise.slug}"
                raise SuiteError(f"{where} cannot be made, not even about the reference")

    def _diagnoses(
        self, exercise: Exercise, findings: Findings, text: str
    ) -> tuple[Diagnosis, ...]:
        if not self.options.diagnosis:
            return ()
        suspects = self._suspects.setdefault(exercise.slug, Suspects(exercise))
        try:
            return diagnose_each(exercise, findings, suspects, text)
        except Exception:  # hostile values may break the search, and a diagnosis is optional
            return ()


class SuiteError(Exception):
    """A suite fails on the reference."""


@dataclass(frozen=True)
class Observed:
    """The findings on all claims of an exercise, and what its worker printed and noticed."""

    findings: Findings
    printed: str = ""
    events: tuple[str, ...] = ()
    starved: bool = False


@cache
def claims(exercise: Exercise) -> tuple[Claim, ...]:
    """List the claims that are graded: all but those that need a GPU, which workers lack."""
    return tuple(claim for claim in suite(exercise) if claim.device != "cuda")


def get_ready(options: Options) -> None:
    """Import all that judges need, and seed the claims of this run."""
    case.begin_run(options.seed)
    import_torch()
    for exercise in (exercises()[slug] for slug in options.slugs):
        suite(exercise)
        for name in exercise.imports:  # for the reference, which is asked here
            import_module(name)


def check_references(options: Options) -> None:
    """Judge the reference by every suite without a record that it holds.

    Raises SuiteError if a claim refuses it: then it would refuse every right answer.
    """
    for exercise in (exercises()[slug] for slug in options.slugs):
        recorded = not exercise.is_own and written(exercise).get("of") == digest(exercise)
        if recorded and not options.solutions:
            continue
        attempt = Attempt(exercise, reference(options.solutions))
        for claim in claims(exercise):
            verdict = check(claim, attempt)
            if not verdict.held:
                reason = verdict.message.brief if verdict.message else verdict.state.value
                raise SuiteError(
                    f"{exercise.slug}: its suite refuses the reference, so it would refuse all who"
                    f" are right: {claim.name}: {line(reason)}"
                )


def judge_for(
    options: Options, workers: Launcher | None = None, tests: Launcher | None = None
) -> Judge:
    """Make a judge that is ready to work in this process.

    Args:
        options: what it judges, and how.
        workers: starts workers for submissions, and for what a proof tests.
        tests: starts workers for the tests of proofs.
    """
    get_ready(options)
    if workers is None or tests is None:
        warm = warm_process(options)
        workers, tests = Launcher(warm), Launcher(warm)
    workers.warm_up()
    return Judge(options, workers, tests)


def _judge_live(claim: Claim, attempt: RemoteAttempt) -> Finding:
    """Judge one claim live, also if the worker has to be stopped."""
    circumstances = case_of(claim, attempt.exercise)
    start = time.perf_counter()
    try:
        return finding(check(claim, attempt, circumstances), circumstances)
    except StoppedError as stop:
        seconds = time.perf_counter() - start
        message = Message(claim.sentence, inputs(circumstances), stop.text, leads=True)
        verdict = ClaimVerdict(claim.id, stop.state, message, seconds, claim.device)
        return finding(verdict, circumstances)


def _texts(exercise: Exercise, target: Target) -> tuple[str, ...]:
    """Return all that is executed for an exercise; its own text if its imports are refused."""
    try:
        return tuple(part.text for part in target.parts(exercise.slug))
    except UnusableError:
        return ("", target.source(exercise.slug).text)
