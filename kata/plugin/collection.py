"""What pytest collects: an exercise file as the claims that its suite makes about it."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from kata.course.curriculum import GRADED, Exercise, exercises
from kata.course.naming import did_you_mean
from kata.course.target import Target, reference
from kata.judging.at_sight import at_sight
from kata.judging.limits import TIME_LIMIT
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

    def collect(self) -> Iterator["ClaimItem"]:
        """One placeholder if nothing is written yet; otherwise every claim of the suite."""
        self.config.stash[RUN_RECORD].collected = True
        if unjudged := at_sight(self.exercise, self.target):
            yield self._placeholder(unjudged)
        else:
            yield from self._claims()

    def teardown(self) -> None:
        """When the last claim of a run has been checked: name the mistake behind what failed."""
        if any(verdict.state is State.FAILED for verdict, _ in self.judged):
            from kata.diagnosis.diagnose import diagnose
            from kata.diagnosis.observe import Finding, finding

            found: dict[str, Finding] = {v.name: finding(v, case) for v, case in self.judged}
            self.diagnosis = diagnose(self.exercise, found)
        self.judged.clear()

    @property
    def time_limit(self) -> float:
        """Seconds a claim; `--timeout` sets another."""
        return self.config.getoption("--timeout", None) or TIME_LIMIT

    def _placeholder(self, known: ClaimVerdict) -> "ClaimItem":
        item = ClaimItem.from_parent(self, name=known.name)
        item.known = known
        return item

    def _claims(self) -> Iterator["ClaimItem"]:
        from kata.judging.attempt import Attempt
        from kata.judging.judge import suite  # with it come numpy and torch

        attempt = Attempt(self.exercise, self.target)
        try:
            claims = suite(self.exercise)
        except Exception as error:  # the kata's own fault, which costs no other exercise anything
            reason = f"{type(error).__name__}: {error}"
            text = say("plugin.broken-suite", short=self.exercise.short, reason=reason)
            yield self._placeholder(ClaimVerdict("error", State.ERROR, Message(text)))
            return
        for claim in claims:
            item = ClaimItem.from_parent(self, name=claim.id)
            item.claim, item.attempt = claim, attempt
            item.add_marker(pytest.mark.timeout(self.time_limit))
            yield item


class StrayFile(pytest.File):
    """A file whose name is almost that of an exercise."""

    def collect(self) -> Iterator["ClaimItem"]:
        """One item that says what the name should be."""
        self.config.stash[RUN_RECORD].collected = True
        close = did_you_mean(self.path.stem, list(exercises()))
        item = ClaimItem.from_parent(self, name="name")
        text = say("course.stray", name=self.path.name, close=close)
        item.known = ClaimVerdict("name", State.ERROR, Message(text))
        yield item


class ClaimItem(pytest.Item):
    """One claim about one file; or, with `known`, something to say about the file as a whole."""

    known: ClaimVerdict | None = None
    claim: Any = None
    attempt: Any = None
    case: Any = None

    def runtest(self) -> None:
        """Check the claim; a time limit interrupts here."""
        if self.known is None:
            from kata.judging.judge import case_of, check

            self.case = case_of(self.claim, self.attempt.exercise)
            self.known = check(self.claim, self.attempt, self.case)
            self.parent.judged.append((self.known, self.case))  # type: ignore[union-attr]  # an ExerciseFile
        if self.known.state not in FINE:
            pytest.fail(self.name, pytrace=False)

    def verdict(self, call: pytest.CallInfo[None]) -> ClaimVerdict:
        """What was found; without a finding, something stopped the claim."""
        if self.known is not None:
            return self.known
        if str(call.excinfo and call.excinfo.value).startswith("Timeout"):
            return self._timed_out(call)
        error = call.excinfo.exconly() if call.excinfo else say("plugin.no-end")
        return ClaimVerdict(self.name, State.ERROR, Message(self.claim.sentence, evidence=error))

    def _timed_out(self, call: pytest.CallInfo[None]) -> ClaimVerdict:
        from kata.judging.judge import inputs

        found = say("judging.timed-out", seconds=call.duration)
        frames = self.attempt.own_frames(call.excinfo.tb if call.excinfo else None)
        message = Message(self.claim.sentence, inputs(self.case), found, frames=frames)
        return ClaimVerdict(self.name, State.TIMED_OUT, message, call.duration, self.claim.device)

    def about(self) -> dict[str, Any]:
        """Which exercise of which folder this is a claim about, in plain data."""
        file = self.parent
        if not isinstance(file, ExerciseFile):
            return {"slug": "", "folder": "", "board": False, "line": 0}
        slug = file.exercise.slug
        return {
            "slug": slug,
            "folder": str(file.target.folder),
            "board": file.learner,
            "digest": file.target.digest(slug) if self.claim else "",
            "stand_ins": list(file.target.stand_ins(slug)),
            "total": self._total(file.exercise),
            "line": self.claim.line if self.claim else 0,
        }

    def _total(self, exercise: Exercise) -> int:
        if self.claim is None:
            return 1
        from kata.judging.judge import device_missing, suite

        return sum(not device_missing(each.device) for each in suite(exercise))

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """The learner's file, and a heading: the exercise with the claim, or the file."""
        if self.claim is None:
            return self.path, None, self.path.name
        return self.path, None, f"{self.attempt.exercise.short} {self.name}"


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
