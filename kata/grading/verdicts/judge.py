"""Judges submissions by the graded suites; their code runs in workers."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache

from kata.course.curriculum import Exercise, exercises
from kata.course.target import SUBMISSION, Target
from kata.diagnosis.diagnose import diagnose
from kata.diagnosis.observe import Finding, finding
from kata.diagnosis.suspects import Suspects
from kata.grading.collecting.submissions import HandedIn
from kata.grading.judges.options import Options
from kata.grading.sandbox.channel import StoppedError, Workers
from kata.grading.sandbox.launcher import Launcher
from kata.grading.sandbox.remote import RemoteAttempt
from kata.grading.similarity.flags import flags
from kata.judging import case
from kata.judging.at_sight import at_sight, whole
from kata.judging.judge import Claim, case_of, check, import_torch, inputs, suite
from kata.judging.limits import LONGEST_OUTPUT
from kata.text import cut
from kata.verdict import (
    ClaimVerdict,
    Diagnosis,
    ExerciseVerdict,
    Mark,
    Message,
    State,
    SubmissionVerdict,
)
from kata.words import say

MIB = 2**20
MOST_REPEATS = 3  # of an exercise whose process was killed from outside
LONGEST_EVIDENCE = 2000  # characters of one claim; a few hundred are normal


@dataclass
class Judge:
    """Judges one submission after the other."""

    options: Options
    workers: Workers
    _suspects: dict[str, Suspects] = field(default_factory=dict)

    def grade(self, handed: HandedIn) -> SubmissionVerdict:
        """The verdict on everything in one submission."""
        if handed.problem:
            return SubmissionVerdict(handed.student, notes=handed.notes, problem=handed.problem)
        passed: set[str] = set()
        own, solutions = handed.files, self.options.solutions
        target = Target(SUBMISSION, own, lambda slug: slug in passed, solutions)
        end = time.monotonic() + self.options.patience
        found = []
        for slug in self.options.slugs:
            verdict = self.exercise(exercises()[slug], target, handed.files, end)
            found.append(verdict)
            if verdict.state is State.PASSED:
                passed.add(slug)
        marks = tuple(self._mark(each) for each in found)
        return SubmissionVerdict(handed.student, tuple(found), marks, handed.notes)

    def exercise(
        self, exercise: Exercise, target: Target, files: Mapping[str, bytes], end: float
    ) -> ExerciseVerdict:
        """The verdict on one exercise."""
        if exercise.slug not in files:
            missing = whole(State.NOT_STARTED, Message(say("judges.not-handed-in")))
            return ExerciseVerdict(exercise.slug, (missing,))
        if unjudged := at_sight(exercise, target):
            return ExerciseVerdict(exercise.slug, (unjudged,))
        attempt, findings = self._observed(exercise, target, end)
        for _ in range(MOST_REPEATS):
            if not attempt.killed:  # from outside, which says nothing about the submission
                break
            begun = time.monotonic()
            self.workers.warm_up()
            end += time.monotonic() - begun
            attempt, findings = self._observed(exercise, target, end)
        verdict = ExerciseVerdict(
            exercise.slug,
            tuple(each.verdict for each in findings.values()),
            target.stand_ins(exercise.slug),
            diagnosis=self._named(exercise, findings, target.source(exercise.slug).text),
            printed=_shortened(attempt.printed),
            tampering=tuple(attempt.seen),
        )
        text, solutions = target.source(exercise.slug).text, self.options.solutions
        seen = flags(exercise, text, solutions and solutions / exercise.filename)
        return replace(verdict, flags=tuple(each.text for each in seen))

    def _observed(
        self, exercise: Exercise, target: Target, end: float
    ) -> tuple[RemoteAttempt, dict[str, Finding]]:
        attempt = RemoteAttempt(exercise, target, self.workers, self.options.timeout, end)
        try:
            return attempt, {claim.id: find(claim, attempt) for claim in claims(exercise)}
        finally:
            attempt.close()

    def _named(
        self, exercise: Exercise, findings: Mapping[str, Finding], text: str
    ) -> Diagnosis | None:
        if not self.options.diagnosis:
            return None
        suspects = self._suspects.setdefault(exercise.slug, Suspects(exercise))
        try:
            return diagnose(exercise, findings, suspects, text)
        except Exception:  # hostile values may break the search, and a diagnosis is optional
            return None

    def _mark(self, verdict: ExerciseVerdict) -> Mark:
        most = self.options.points[verdict.slug]
        share = verdict.held / len(claims(exercises()[verdict.slug]))
        return Mark(round(most * share, 4), most)


@cache
def claims(exercise: Exercise) -> tuple[Claim, ...]:
    """The claims that are graded: workers have no GPU."""
    return tuple(claim for claim in suite(exercise) if claim.device != "cuda")


def judge_for(options: Options) -> Judge:
    """A judge that is ready to work in this process."""
    case.begin_run(options.seed)
    import_torch()
    computing = int(options.patience) + 1
    workers = Launcher(options.memory * MIB, computing)
    workers.warm_up()
    return Judge(options, workers)


def find(claim: Claim, attempt: RemoteAttempt) -> Finding:
    """The verdict on one claim, and what was seen, also if the worker has to be stopped."""
    circumstances = case_of(claim, attempt.exercise)
    start = time.perf_counter()
    try:
        verdict = check(claim, attempt, circumstances)
    except StoppedError as stop:
        seconds = time.perf_counter() - start
        message = Message(claim.sentence, inputs(circumstances), stop.text, leads=True)
        verdict = ClaimVerdict(claim.id, stop.state, message, seconds, claim.device)
    return finding(_bounded(verdict), circumstances)


def _bounded(verdict: ClaimVerdict) -> ClaimVerdict:
    """Names and shapes in a message are the learner's, and may have any length."""
    told = verdict.message
    if not told or max(len(told.inputs), len(told.evidence)) <= LONGEST_EVIDENCE:
        return verdict
    inputs, evidence = told.inputs[:LONGEST_EVIDENCE], told.evidence[:LONGEST_EVIDENCE]
    return replace(verdict, message=replace(told, inputs=inputs, evidence=evidence))


def _shortened(text: str) -> str:
    end = say("judges.cut")
    return cut(text.strip(), LONGEST_OUTPUT + len(end), end)
