"""What pytest collects: an exercise file as the claims that its suite makes about it."""

from collections.abc import Iterator
from difflib import get_close_matches
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from kata.course.curriculum import Exercise, exercises, suite_folders
from kata.course.naming import did_you_mean, stray
from kata.course.source import UnusableError
from kata.course.suite_code import about, listed, top_lines
from kata.course.target import Target, reference
from kata.judging.at_sight import at_sight, whole
from kata.judging.limits import TIME_LIMIT
from kata.plugin.items import ClaimItem, Outdated, Placeholder
from kata.plugin.report_data import DiagnosedFile, JudgedClaim
from kata.plugin.run_record import RUN_RECORD
from kata.verdict import ClaimVerdict, Diagnosis, Message, State

if TYPE_CHECKING:
    from kata.judging.attempt import Attempt

CLOSE = 0.85  # a slip of the finger, in a folder that may belong to another project
NOT_STARTED = "not_started"


class ExerciseFile(pytest.File):
    """A learner's file, seen by pytest as the claims that its suite makes about it."""

    exercise: Exercise
    target: Target
    learner: bool
    diagnosis: Diagnosis | None = None

    def __init__(self, **names: Any) -> None:
        super().__init__(**names)
        self._judged: list[tuple[ClaimVerdict, Any]] = []  # claims, each with its Case
        self._diagnosed = 0
        self._is_reported = True

    def collect(self) -> Iterator[Placeholder | ClaimItem]:
        """One placeholder if nothing can be judged; otherwise every claim of the suite.

        Where somebody lists the claims, or has chosen among them, each has the same id at any time.
        """
        unjudged = at_sight(self.exercise, self.target)
        if self.config.option.collectonly or (unjudged and self._asked):
            yield from self._listed(unjudged or whole(State.NOT_STARTED, Message("")))
        elif unjudged:
            yield Placeholder.about(self, unjudged)
        else:
            yield from self._claims()

    @cached_property
    def _asked(self) -> set[str]:
        """The names that the command line gives of this file: `ex05_causal_masks.py::test_…`."""
        split = (arg.partition("::") for arg in self.config.args)
        return {name for path, _, name in split if name and self._is_meant_by(path)}

    def _is_meant_by(self, path: str) -> bool:
        if Path(path).name != self.path.name:
            return False
        return (self.config.invocation_params.dir / path).resolve() == self.path.resolve()

    def _listed(self, verdict: ClaimVerdict) -> Iterator[Placeholder]:
        """Placeholders for what is known of the file, under the id of each claim."""
        names = {**dict(listed(self.exercise)), **dict.fromkeys(self._asked & {NOT_STARTED}, "")}
        for name, claim in names.items():
            yield Placeholder.about(self, verdict, name=name, line=self.line(claim))

    def note(self, verdict: ClaimVerdict, case: Any) -> None:
        """Keep a verdict, for the diagnosis."""
        self._judged.append((verdict, case))

    def diagnose(self) -> None:
        """Name the mistake behind what has failed so far, unless nothing was added to it."""
        judged, before = self._judged, self._diagnosed
        if len(judged) > before and any(verdict.state is State.FAILED for verdict, _ in judged):
            from kata.diagnosis.diagnose import diagnose
            from kata.diagnosis.observe import Finding, finding

            findings: dict[str, Finding] = {v.name: finding(v, case) for v, case in judged}
            text = self.target.source(self.exercise.slug).text
            self.diagnosis = diagnose(self.exercise, findings, text=text)
            self._diagnosed, self._is_reported = len(judged), False

    def teardown(self) -> None:
        """Let go of what the last claim of a run saw."""
        self._judged.clear()

    def line(self, claim: str) -> int:
        """The line where the function or class begins that a claim is about, or else 1."""
        return self._lines.get(about(self.exercise, claim), 1) if claim else 1

    @cached_property
    def _lines(self) -> dict[str, int]:
        try:
            return top_lines(self.target.source(self.exercise.slug))
        except UnusableError:
            return {}

    @property
    def time_limit(self) -> float:
        """Seconds of computing a claim; `--timeout` sets another."""
        return self.config.getoption("--timeout", None) or TIME_LIMIT

    def carried(self, claim: ClaimVerdict) -> JudgedClaim:
        """A verdict with the exercise that it is about."""
        slug, folder = self.exercise.slug, str(self.target.folder)
        return JudgedClaim(claim, folder, slug, self.learner, stand_ins=self.target.stand_ins(slug))

    def diagnosed(self) -> DiagnosedFile | None:
        """The mistake, with its exercise; once, for the report that is next."""
        is_repeat, self._is_reported = self._is_reported, True
        slug, folder = self.exercise.slug, str(self.target.folder)
        if is_repeat or not self.diagnosis:
            return None
        return DiagnosedFile(folder, slug, self.diagnosis)

    def _claims(self) -> Iterator[Placeholder | ClaimItem]:
        try:
            names = self._names()
        except Exception as error:  # the kata's own fault, which costs no other exercise anything
            reason = f"{type(error).__name__}: {error}"
            text = f"the suite of {self.exercise.short} is broken: {reason}"
            yield Placeholder.about(self, ClaimVerdict("error", State.ERROR, Message(text)))
            return
        for name in names:
            yield ClaimItem.from_parent(self, name=name, file=self)
        if NOT_STARTED in self._asked:
            text = (
                f"{self.path.name} is begun, so its claims have their own names now: "
                "list the tests again"
            )
            yield Outdated.about(self, ClaimVerdict(NOT_STARTED, State.ERROR, Message(text)))

    def _names(self) -> list[str]:
        """The ids of the claims; a suite itself is imported when the first of them is judged."""
        if not self.learner:
            return [name for name, _ in listed(self.exercise)]
        from kata.judging.judge import suite

        assert self.attempt  # the file as it is now
        return [claim.id for claim in suite(self.exercise)]

    @cached_property
    def attempt(self) -> "Attempt":
        """What all claims of this file are checked on."""
        from kata.judging.attempt import Attempt

        return Attempt(self.exercise, self.target)


class StrayFile(pytest.File):
    """A file whose name is almost that of an exercise."""

    def collect(self) -> Iterator[Placeholder]:
        """One item that says what the name should be."""
        text = Message(stray(self.path.name, self.path.stem))
        yield Placeholder.about(self, ClaimVerdict("name", State.ERROR, text))

    def carried(self, claim: ClaimVerdict) -> JudgedClaim:
        """A verdict about a file that belongs to no exercise."""
        return JudgedClaim(claim, str(self.path))


def collectors(path: Path, parent: pytest.Collector) -> list[pytest.Collector] | None:
    """The collectors of this file, if it is one of the kata; none if a track leaves it out."""
    graded = _is_suite(path)
    slug = path.stem.removeprefix("test_") if graded else path.stem
    if slug in exercises():
        wanted = exercises()[slug].is_in(_track(parent.config))
        return [exercise_file(parent, path, slug)] if wanted else []
    return [StrayFile.from_parent(parent, path=path)] if is_misspelled(path) else None


def _track(config: pytest.Config) -> str:
    return "core" if config.getoption("--core") else config.getoption("--track") or ""


def folder_in_place_of_a_file(path: Path, parent: pytest.Collector) -> ExerciseFile | None:
    """A folder with the name of an exercise file."""
    return exercise_file(parent, path, path.stem) if path.stem in exercises() else None


def exercise_file(parent: pytest.Collector, path: Path, slug: str) -> ExerciseFile:
    """The file of an exercise, or the suite of one, which is judged on the reference."""
    file: ExerciseFile = ExerciseFile.from_parent(parent, path=path)
    file.exercise = exercises()[slug]
    file.learner = not _is_suite(path)
    file.target = _target(parent.config, path)
    return file


def _target(config: pytest.Config, path: Path) -> Target:
    if _is_suite(path) or config.getoption("--solutions"):
        return reference()
    return config.stash[RUN_RECORD].target(path.parent)


def _is_suite(path: Path) -> bool:
    return path.parent in suite_folders()


def is_misspelled(path: Path) -> bool:
    """Whether a name is close to that of an exercise without a file of its own.

    Other courses have files such as `ex01_solution.py`: where none of the kata's lies beside it, it
    has to be very close.
    """
    there = {slug for slug in exercises() if (path.parent / f"{slug}.py").exists()}
    missing = [slug for slug in exercises() if slug not in there]
    if there:
        return bool(did_you_mean(path.stem, missing))
    return bool(get_close_matches(path.stem.lower(), missing, n=1, cutoff=CLOSE))
