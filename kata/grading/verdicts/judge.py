"""Judges submissions by the graded suites; their code runs in workers."""

import math
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from importlib import import_module

from kata.class_verdict import SubmissionVerdict
from kata.course.curriculum import Exercise, exercises
from kata.course.source import UnusableError, tree_of
from kata.course.target import SUBMISSION, Target, reference
from kata.diagnosis.diagnose import diagnose_each
from kata.diagnosis.records import digest, written
from kata.diagnosis.suspects import Suspects
from kata.errors import LostError
from kata.grading.collecting.submissions import HandedIn
from kata.grading.options import Options
from kata.grading.proving.judge import ProofJudge
from kata.grading.rubric import mark
from kata.grading.sandbox.launcher import Launcher
from kata.grading.sandbox.remote import RemoteAttempt
from kata.grading.similarity.flags import flags
from kata.grading.verdicts.bounds import bounded
from kata.grading.verdicts.by_script import Findings, ScriptJudge
from kata.grading.verdicts.finding import find
from kata.grading.verdicts.in_cells import in_cells
from kata.grading.verdicts.kept import MOST_EXERCISES, Latest, key_of_files
from kata.grading.verdicts.left_over import sorted_out
from kata.grading.verdicts.plain.files import is_plain
from kata.grading.verdicts.warm import warm_process
from kata.judging import case
from kata.judging.at_sight import at_sight, whole
from kata.judging.attempt import Attempt
from kata.judging.judge import Claim, check, import_torch, suite
from kata.judging.limits import LONGEST_OUTPUT
from kata.proved import PROOF, Proved
from kata.text import cut, line
from kata.verdict import ClaimVerdict, Diagnosis, ExerciseVerdict, Message, State
from kata.words import say

MOST_REPEATS = 3  # of an exercise whose process was killed from outside


class SuiteError(Exception):
    """A suite fails on the reference."""


@dataclass(frozen=True)
class Observed:
    """All claims of an exercise, and what else its worker showed."""

    findings: Findings
    printed: str = ""
    seen: tuple[str, ...] = ()
    starved: bool = False


@dataclass
class Judge:
    """Judges one submission after the other.

    `starved` says whether a worker of the last one ran out of time without having had it.
    """

    options: Options
    workers: Launcher
    tests: Launcher
    starved: bool = False
    _suspects: dict[str, Suspects] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """What is known from one submission to the next."""
        self._by_script = ScriptJudge(self.workers, self.options.timeout)
        self._known = Latest[ExerciseVerdict](MOST_EXERCISES)
        seed, limit = self.options.seed, self.options.timeout
        self._proofs = ProofJudge(self.tests, self.workers, limit, seed)

    def grade(self, handed: HandedIn) -> SubmissionVerdict:
        """The verdict on everything in one submission that is not settled.

        Raises LostError if the grader's own side fails.
        """
        self.starved = False
        self._by_script.leave()
        if handed.problem:
            return SubmissionVerdict(handed.student, notes=handed.notes, problem=handed.problem)
        passed: set[str] = set()
        own, solutions = handed.files, self.options.solutions
        target = Target(SUBMISSION, own, lambda slug: slug in passed, solutions)
        chosen = [exercises()[slug] for slug in self.options.slugs]
        passed |= {slug for slug, right in handed.settled.items() if right}
        open_still = [each for each in chosen if each.slug not in handed.settled]
        self.prepare(target, [each for each in open_still if each.slug in own])
        end = time.monotonic() + self.options.patience
        found = []
        for each in open_still:
            unread = handed.unread.get(each.slug)
            verdict = _unread(each, unread) if unread else self.exercise(each, target, own, end)
            found.append(in_cells(verdict, handed.notebooks))
            if verdict.state is State.PASSED:
                passed.add(each.slug)
        self._by_script.leave()
        marks = tuple(mark(each, self.options.points[each.slug]) for each in found)
        proved = tuple(self._proved(handed))
        return SubmissionVerdict(handed.student, tuple(found), marks, handed.notes, proofs=proved)

    def _proved(self, handed: HandedIn) -> Iterator[Proved]:
        end = time.monotonic() + self.options.patience_for(len(handed.proofs))
        for slug in self.options.slugs:
            if slug in handed.proofs and PROOF + slug not in handed.settled:
                yield self.proof(slug, handed.proofs[slug], end)

    def proof(self, slug: str, content: bytes, end: float = math.inf) -> Proved:
        """The verdict on a proof of this exercise, in time for the end of all those beside it."""
        return self._proofs.judge(slug, content, end)

    def end(self) -> None:
        """End all processes."""
        self._by_script.leave()
        self.tests.end()
        self.workers.end_all()

    def prepare(self, target: Target, handed_in: Iterable[Exercise]) -> None:
        """Scripts have to be known before the worker starts that is to answer them."""
        for each in handed_in:
            if not at_sight(each, target):
                self._by_script.prepare(each, claims(each))

    def exercise(
        self, exercise: Exercise, target: Target, files: Mapping[str, bytes], end: float
    ) -> ExerciseVerdict:
        """The verdict on one exercise."""
        if exercise.slug not in files:
            missing = whole(State.NOT_STARTED, Message(say("verdicts.not-handed-in")))
            return ExerciseVerdict(exercise.slug, (missing,))
        if unjudged := at_sight(exercise, target):
            return ExerciseVerdict(exercise.slug, (unjudged,))
        found = self._judged(exercise, target, end)
        return self._fairer(found, target, files, end)

    def _fairer(
        self, found: ExerciseVerdict, target: Target, files: Mapping[str, bytes], end: float
    ) -> ExerciseVerdict:
        """If it fails on the student's own earlier work, judged on the reference, too.

        Two answers that are each right can fail together: one of them renormalises what the other
        one never made finite. The better verdict counts.
        """
        below = target.built_on(found.slug)
        if found.state is State.PASSED or not below:
            return found
        alone = Target(SUBMISSION, files, solutions=self.options.solutions)
        other = self._judged(exercises()[found.slug], alone, end)
        better = mark(other, 1).score > mark(found, 1).score
        return replace(other, set_aside=below) if better else found

    def _judged(self, exercise: Exercise, target: Target, end: float) -> ExerciseVerdict:
        texts = _texts(exercise, target)
        key = key_of_files(exercise.slug, texts, target.stand_ins(exercise.slug))
        if known := self._known.get(key):
            return known
        observed = self.observed(exercise, target, end)
        verdict = self._verdict(exercise, target, observed)
        self.starved |= observed.starved
        if verdict.state is not State.TIMED_OUT:
            self._known.keep(key, verdict)
        return verdict

    def _verdict(self, exercise: Exercise, target: Target, observed: Observed) -> ExerciseVerdict:
        text, solutions = target.source(exercise.slug).text, self.options.solutions
        seen = flags(exercise, text, exercise.solution_in(solutions))
        named = self._named(exercise, observed.findings, text)
        claims_made = tuple(each.verdict for each in observed.findings.values())
        self._check_suite(exercise, claims_made)
        noticed = sorted_out(text, observed.seen, claims_made)
        found = ExerciseVerdict(
            exercise.slug,
            claims_made,
            target.stand_ins(exercise.slug),
            flags=tuple(each.text for each in seen),
            diagnosis=next(iter(named), None),
            further=named[1:],
            printed=_shortened(observed.printed),
            tampering=noticed.tampering,
            left_over=noticed.left_over,
        )
        asked = tuple(each for each in found.stand_ins if each in self.options.slugs)
        return replace(bounded(found, solutions), stand_ins=asked)

    def _check_suite(self, exercise: Exercise, made: tuple[ClaimVerdict, ...]) -> None:
        """A claim that could not compute must be able to do so with the reference.

        Raises SuiteError if it cannot: then the suite is to blame, and not the submission.
        """
        broken = {each.name for each in made if _could_not_compute(each)}
        suspects = self._suspects.setdefault(exercise.slug, Suspects(exercise))
        for claim in claims(exercise) if broken else ():
            if claim.id in broken and not suspects.reference.finding(claim).verdict.held:
                raise SuiteError(say("verdicts.suite-fault", slug=exercise.slug, claim=claim.name))

    def observed(self, exercise: Exercise, target: Target, end: float) -> Observed:
        """By script where that may be done, and live where it may not, or did not go through."""
        begun = time.monotonic()
        plain = _is_plain(exercise, target)
        if plain and (found := self._by_script.findings(exercise, target, end, claims(exercise))):
            return Observed(found)
        self._by_script.leave()
        for _ in range(1 + MOST_REPEATS):
            lost = time.monotonic() - begun
            attempt, found = self._live(exercise, target, end + lost)
            if not attempt.killed:
                return Observed(found, attempt.printed, tuple(attempt.seen), attempt.starved)
        raise LostError(say("sandbox.killed-from-outside", count=1 + MOST_REPEATS))

    def _live(
        self, exercise: Exercise, target: Target, end: float
    ) -> tuple[RemoteAttempt, Findings]:
        attempt = RemoteAttempt(exercise, target, self.workers, self.options.timeout, end)
        try:
            return attempt, {claim.id: find(claim, attempt) for claim in claims(exercise)}
        finally:
            attempt.close()

    def _named(self, exercise: Exercise, findings: Findings, text: str) -> tuple[Diagnosis, ...]:
        if not self.options.diagnosis:
            return ()
        suspects = self._suspects.setdefault(exercise.slug, Suspects(exercise))
        try:
            return diagnose_each(exercise, findings, suspects, text)
        except Exception:  # hostile values may break the search, and a diagnosis is optional
            return ()


@cache
def claims(exercise: Exercise) -> tuple[Claim, ...]:
    """The claims that are graded: workers have no GPU."""
    return tuple(claim for claim in suite(exercise) if claim.device != "cuda")


def get_ready(options: Options) -> None:
    """Import all that judges need, and seed the claims of this run."""
    case.begin_run(options.seed)
    import_torch()
    for each in (exercises()[slug] for slug in options.slugs):
        suite(each)
        for name in each.imports:  # for the reference, which is asked here
            import_module(name)


def check_references(options: Options) -> None:
    """Judge the reference by each suite of which no record says that it holds.

    Raises SuiteError if a claim refuses it: then it would refuse all who are right.
    """
    for each in (exercises()[slug] for slug in options.slugs):
        if options.solutions or each.is_own or written(each).get("of") != digest(each):
            attempt = Attempt(each, reference(options.solutions))
            for claim in claims(each):
                if not (found := check(claim, attempt)).held:
                    told = found.message.brief if found.message else found.state.value
                    text = {"slug": each.slug, "claim": claim.name, "told": line(told)}
                    raise SuiteError(say("verdicts.reference-refused", **text))


def judge_for(
    options: Options, workers: Launcher | None = None, tests: Launcher | None = None
) -> Judge:
    """A judge that is ready to work in this process.

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


def _could_not_compute(claim: ClaimVerdict) -> bool:
    start = say("judging.cannot", kind="", error="").rstrip(": ")
    return bool(claim.message and claim.message.evidence.startswith(start))


def _unread(exercise: Exercise, reason: str) -> ExerciseVerdict:
    claim = ClaimVerdict("not_read", State.NOT_GRADABLE, Message(reason))
    return ExerciseVerdict(exercise.slug, (claim,))


def _texts(exercise: Exercise, target: Target) -> tuple[str, ...]:
    """All that is executed for an exercise; its own text if its imports are refused."""
    try:
        return tuple(each.text for each in target.parts(exercise.slug))
    except UnusableError:
        return ("", target.source(exercise.slug).text)


def _is_plain(exercise: Exercise, target: Target) -> bool:
    """Whether the file is plain, together with those of the student's that it imports."""
    try:
        parts = target.parts(exercise.slug)
    except UnusableError:
        return False
    *earlier, last = [tree_of(each.text) for each in parts if target.owns(each)]
    return is_plain(last, *earlier)


def _shortened(text: str) -> str:
    end = say("verdicts.cut")
    return cut(text.strip(), LONGEST_OUTPUT + len(end), end)
