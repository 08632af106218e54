"""What pytest collects: an exercise file as the claims that its suite makes about it."""

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from kata.course.curriculum import GRADED, Exercise, exercises
from kata.course.naming import did_you_mean
from kata.course.target import Target, reference
from kata.judging.at_sight import at_sight
from kata.judging.limits import PATIENCE, TIME_LIMIT, OutOfTimeError, computing
from kata.plugin.at_fault import raise_for_debugger
from kata.plugin.carried import DiagnosedFile, JudgedClaim
from kata.plugin.run_record import RUN_RECORD
from kata.verdict import ClaimVerdict, Diagnosis, Message, State
from kata.words import say

QUIET = {State.NOT_STARTED: "-", State.BLOCKED: "b"}  # neither green nor red
FINE = {State.PASSED, State.SKIPPED, *QUIET}


class ExerciseFile(pytest.File):
    """A learner's file, seen by pytest as the claims that its suite makes about it."""

    exercise: Exercise
    target: Target
    learner: bool
    diagnosis: Diagnosis | None = None

    def __init__(self, **names: Any) -> None:
        super().__init__(**names)
        self.judged: list[tuple[ClaimVerdict, Any]] = []  # claims, each with its Case

    def collect(self) -> Iterator["Placeholder | ClaimItem"]:
        """One placeholder if nothing is written yet; otherwise every claim of the suite."""
        self.config.stash[RUN_RECORD].collected = True
        if unjudged := at_sight(self.exercise, self.target):
            yield Placeholder.about(self, unjudged)
        else:
            yield from self._claims()

    def teardown(self) -> None:
        """When the last claim of a run has been checked: name the mistake behind what failed."""
        if any(verdict.state is State.FAILED for verdict, _ in self.judged):
            from kata.diagnosis.diagnose import diagnose
            from kata.diagnosis.observe import Finding, finding

            found: dict[str, Finding] = {v.name: finding(v, case) for v, case in self.judged}
            text = self.target.source(self.exercise.slug).text
            self.diagnosis = diagnose(self.exercise, found, text=text)
        self.judged.clear()

    @property
    def time_limit(self) -> float:
        """Seconds of computing a claim; `--timeout` sets another."""
        return self.config.getoption("--timeout", None) or TIME_LIMIT

    def carried(self, claim: ClaimVerdict) -> JudgedClaim:
        """A verdict with the exercise that it is about."""
        slug, folder = self.exercise.slug, str(self.target.folder)
        return JudgedClaim(claim, folder, slug, self.learner, stand_ins=self.target.stand_ins(slug))

    def diagnosed(self) -> DiagnosedFile | None:
        """The mistake that was recognised, with the exercise that it was made in."""
        slug, folder = self.exercise.slug, str(self.target.folder)
        return DiagnosedFile(folder, slug, self.diagnosis) if self.diagnosis else None

    def _claims(self) -> Iterator["Placeholder | ClaimItem"]:
        from kata.judging.attempt import Attempt
        from kata.judging.judge import suite  # with it come numpy and torch

        attempt = Attempt(self.exercise, self.target)
        try:
            claims = suite(self.exercise)
        except Exception as error:  # the kata's own fault, which costs no other exercise anything
            reason = f"{type(error).__name__}: {error}"
            text = say("plugin.broken-suite", short=self.exercise.short, reason=reason)
            yield Placeholder.about(self, ClaimVerdict("error", State.ERROR, Message(text)))
            return
        for claim in claims:
            yield ClaimItem.from_parent(
                self, name=claim.id, file=self, claim=claim, attempt=attempt
            )


class StrayFile(pytest.File):
    """A file whose name is almost that of an exercise."""

    def collect(self) -> Iterator["Placeholder"]:
        """One item that says what the name should be."""
        self.config.stash[RUN_RECORD].collected = True
        close = did_you_mean(self.path.stem, list(exercises()))
        text = say("course.stray", name=self.path.name, close=close)
        yield Placeholder.about(self, ClaimVerdict("name", State.ERROR, Message(text)))

    def carried(self, claim: ClaimVerdict) -> JudgedClaim:
        """A verdict about a file that belongs to no exercise."""
        return JudgedClaim(claim, str(self.path))


class Placeholder(pytest.Item):
    """Something to say about a file as a whole, in place of its claims."""

    def __init__(
        self, *, file: ExerciseFile | StrayFile, known: ClaimVerdict, **names: Any
    ) -> None:
        super().__init__(**names)
        self._file = file
        self._known = known

    @classmethod
    def about(cls, file: ExerciseFile | StrayFile, known: ClaimVerdict) -> "Placeholder":
        """The one item of this file."""
        item: Placeholder = cls.from_parent(file, name=known.name, file=file, known=known)
        return item

    def runtest(self) -> None:
        """Nothing is left to find out."""
        _fail_unless_fine(self._known)

    def judged(self, _: pytest.CallInfo[None]) -> JudgedClaim:
        """What was known beforehand."""
        return self._file.carried(self._known)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """The learner's file, which is also the heading."""
        return self.path, None, self.path.name


class ClaimItem(pytest.Item):
    """One claim about one file."""

    def __init__(self, *, file: ExerciseFile, claim: Any, attempt: Any, **names: Any) -> None:
        super().__init__(**names)
        self._file = file
        self._claim = claim
        self._attempt = attempt
        self._case: Any = None
        self._found: ClaimVerdict | None = None
        self.add_marker(pytest.mark.timeout(file.time_limit * PATIENCE))

    def runtest(self) -> None:
        """Check the claim; a time limit interrupts here."""
        from kata.judging.judge import case_of, check

        self._case = case_of(self._claim, self._file.exercise)
        self._case.debugs = bool(self.config.getoption("usepdb"))
        with computing(self._file.time_limit):
            self._found = check(self._claim, self._attempt, self._case)
        self._file.judged.append((self._found, self._case))
        raise_for_debugger(self._case.error, self._file.target.folder)
        _fail_unless_fine(self._found)

    def judged(self, call: pytest.CallInfo[None]) -> JudgedClaim:
        """What was found; without a finding, something stopped the claim."""
        carried = self._file.carried(self._found or self._stopped(call))
        digest = self._file.target.digest(carried.slug)
        return replace(carried, digest=digest, total=self._total(), line=self._claim.line)

    def _stopped(self, call: pytest.CallInfo[None]) -> ClaimVerdict:
        stop = call.excinfo and call.excinfo.value
        if isinstance(stop, OutOfTimeError):
            return self._timed_out(call, str(stop))
        if str(stop).startswith("Timeout"):  # from pytest-timeout
            return self._timed_out(call, say("judging.timed-out", seconds=call.duration))
        error = call.excinfo.exconly() if call.excinfo else say("plugin.no-end")
        message = Message(self._claim.sentence, evidence=error, leads=True)
        return ClaimVerdict(self.name, State.ERROR, message)

    def _timed_out(self, call: pytest.CallInfo[None], found: str) -> ClaimVerdict:
        from kata.judging.judge import inputs

        frames = self._attempt.own_frames(call.excinfo.tb if call.excinfo else None)
        message = Message(
            self._claim.sentence, inputs(self._case), found, frames=frames, leads=True
        )
        return ClaimVerdict(self.name, State.TIMED_OUT, message, call.duration, self._claim.device)

    def _total(self) -> int:
        from kata.judging.judge import device_missing, suite

        return sum(not device_missing(each.device) for each in suite(self._file.exercise))

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """The learner's file, and a heading: the exercise with the claim."""
        return self.path, None, f"{self._file.exercise.short} {self.name}"


def _fail_unless_fine(verdict: ClaimVerdict) -> None:
    """Stop an item as pytest expects it; the report is given its words later."""
    if verdict.state not in FINE:
        pytest.fail(verdict.name, pytrace=False)


def exercise_file(parent: pytest.Collector, path: Path, slug: str) -> ExerciseFile:
    """The file of an exercise, or the suite of one, which is judged on the reference."""
    file: ExerciseFile = ExerciseFile.from_parent(parent, path=path)
    file.exercise = exercises()[slug]
    file.learner = path.parent != GRADED
    file.target = _target(parent.config, path)
    return file


def _target(config: pytest.Config, path: Path) -> Target:
    if path.parent == GRADED or config.getoption("--solutions"):
        return reference()
    return config.stash[RUN_RECORD].target(path.parent)


def is_misspelled(path: Path) -> bool:
    """Close to an exercise whose own file is not there."""
    if not re.match(r"ex\d+_", path.stem, re.IGNORECASE):
        return False
    missing = [slug for slug in exercises() if not (path.parent / f"{slug}.py").exists()]
    return bool(did_you_mean(path.stem, missing))
