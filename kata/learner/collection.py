"""The collection of a pytest run: an exercise file as the claims that its suite makes about it."""

from collections.abc import Iterator
from dataclasses import replace
from difflib import get_close_matches
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

import pytest

from kata.course.curriculum import Exercise, did_you_mean, exercises, stray, suite_folders
from kata.course.source import UnusableError, top_lines
from kata.course.suite_code import about, listed
from kata.course.target import Target, at_sight, reference, whole
from kata.judging.limits import PATIENCE, TIME_LIMIT, OutOfTimeError, computing, overtime
from kata.learner.run_record import RUN_RECORD, JudgedClaim
from kata.text import clean, cut, line
from kata.verdict import ClaimVerdict, Diagnosis, Message, State

if TYPE_CHECKING:
    from kata.judging.attempt import Attempt

# How alike a misspelled name is to a right one, in a folder that may belong to another project.
CLOSE = 0.85
NOT_STARTED = "not_started"
QUIET = {State.NOT_STARTED: "-", State.BLOCKED: "b"}  # neither green nor red
FINE = {State.PASSED, State.SKIPPED, *QUIET}
MOST_VARIABLES = 20
LONGEST = 100  # characters of a variable


class Placeholder(pytest.Item):
    """A verdict on a file before anything of it runs."""

    def __init__(
        self, *, file: "ExerciseFile | StrayFile", verdict: ClaimVerdict, line: int, **names: Any
    ) -> None:
        super().__init__(**names)
        self.file = file
        self.verdict = verdict
        self.line = line

    @classmethod
    def about(
        cls, file: "ExerciseFile | StrayFile", verdict: ClaimVerdict, name: str = "", line: int = 0
    ) -> "Placeholder":
        """Return an item with this verdict, at the line of its message or else at this line."""
        at = (verdict.message.line if verdict.message else 0) or 1
        if verdict.state is State.NOT_STARTED and line:
            at = line
        item: Placeholder = cls.from_parent(
            file, name=name or verdict.name, file=file, verdict=verdict, line=at
        )
        return item

    def __repr__(self) -> str:
        """Return what `--collect-only` prints."""
        return f"<Claim {self.name}>"

    def runtest(self) -> None:
        """Fail unless the verdict is fine; there is nothing to run."""
        _fail_unless_fine(self.verdict)

    def judged(self, _: pytest.CallInfo[None]) -> JudgedClaim:
        """Return the verdict that was there beforehand."""
        return self.file.judged(self.verdict)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """Return the learner's file, which is also the heading, and the line to begin at."""
        return self.path, self.line - 1, self.path.name


class Outdated(Placeholder):
    """An id from before the file was begun, which says nothing about the exercise."""

    def judged(self, _: pytest.CallInfo[None]) -> JudgedClaim:
        """Return a verdict about the file alone, so that the board does not count it."""
        return JudgedClaim(self.verdict, str(self.path))


class ClaimItem(pytest.Item):
    """One claim about one file.

    Attributes:
        file: the file that it is about.
        ahead: the call of this claim, if it was judged when another claim failed.
        variables: the variables of the learner's function that raised, as sections of the report.
    """

    def __init__(self, *, file: "ExerciseFile", **names: Any) -> None:
        super().__init__(**names)
        self.file = file
        self.ahead: pytest.CallInfo[None] | None = None
        self.variables: list[tuple[str, str]] = []
        self._case: Any = None
        self._verdict: ClaimVerdict | None = None
        # Naming the mistake comes after the call, and is not the learner's time.
        self.add_marker(pytest.mark.timeout(file.time_limit * PATIENCE, func_only=True))

    def setup(self) -> None:
        """Import the suite, unless that is done: it is not the learner's time."""
        assert self._claim

    @cached_property
    def _claim(self) -> Any:
        from kata.judging.judge import suite  # with it come numpy and torch

        return next(claim for claim in suite(self.file.exercise) if claim.id == self.name)

    @property
    def was_called(self) -> bool:
        """True if the claim was checked."""
        return self._case is not None or self.ahead is not None

    def runtest(self) -> None:
        """Check the claim, or end as it ended before; a time limit interrupts here."""
        if self.ahead is None:
            self._check()
        elif self.ahead.excinfo:
            raise self.ahead.excinfo.value

    def _check(self) -> None:
        from kata.judging.judge import case_of, check

        options = self.config.option
        self._case = case_of(self._claim, self.file.exercise)
        self._case.debugs = options.usepdb or options.showlocals
        with computing(self.file.time_limit):
            self._verdict = check(self._claim, self.file.attempt, self._case)
        self.file.note(self._verdict, self._case)
        if options.showlocals:
            self.variables = variables(self._case.error, self.file.target.folder)
        if options.usepdb:
            raise_for_debugger(self._case.error, self.file.target.folder)
        _fail_unless_fine(self._verdict)

    def judged(self, call: pytest.CallInfo[None]) -> JudgedClaim:
        """Return the verdict on the claim; without one, something stopped it."""
        claim = self.file.judged(self._verdict or self._stopped(self.ahead or call))
        return replace(
            claim,
            digest=self.file.target.digest(claim.slug),
            total=self._total(),
            line=self._claim.line,
            diagnosis=self.file.new_diagnosis() if claim.claim.state not in FINE else None,
        )

    def _stopped(self, call: pytest.CallInfo[None]) -> ClaimVerdict:
        stop = call.excinfo and call.excinfo.value
        if isinstance(stop, OutOfTimeError):
            return self._timed_out(call, str(stop))
        if str(stop).startswith("Timeout"):  # from pytest-timeout
            return self._timed_out(call, overtime(call.duration))
        error = call.excinfo.exconly() if call.excinfo else "the claim was stopped from outside"
        message = Message(self._claim.sentence, evidence=error, leads=True)
        return ClaimVerdict(self.name, State.ERROR, message)

    def _timed_out(self, call: pytest.CallInfo[None], text: str) -> ClaimVerdict:
        from kata.judging.judge import timed_out

        stop = call.excinfo and call.excinfo.value
        return timed_out(self._claim, self.file.attempt, self._case, stop, text, call.duration)

    def _total(self) -> int:
        from kata.judging.judge import device_missing, suite

        return sum(not device_missing(claim.device) for claim in suite(self.file.exercise))

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """Return the line of the learner's function, and a heading: the exercise with the claim."""
        line = self.file.line(self.name.partition("[")[0])
        return self.path, line - 1, f"{self.file.exercise.short} {self.name}"


class ExerciseFile(pytest.File):
    """A learner's file, seen by pytest as the claims that its suite makes about it."""

    exercise: Exercise
    target: Target
    learner: bool
    diagnosis: Diagnosis | None = None

    def __init__(self, **names: Any) -> None:
        super().__init__(**names)
        self._verdicts: list[tuple[ClaimVerdict, Any]] = []  # with their Cases
        self._diagnosed = 0  # claims on which the diagnosis is based
        self._is_reported = True

    def collect(self) -> Iterator[Placeholder | ClaimItem]:
        """Yield a placeholder if nothing can be judged; otherwise every claim of the suite.

        Where claims are listed, or chosen on the command line, a claim has the same id at any time.
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
        """The claims of this file on the command line, as in `ex05_causal_masks.py::test_…`."""
        arguments = (argument.partition("::") for argument in self.config.args)
        return {claim for path, _, claim in arguments if claim and self._has_path(path)}

    def _has_path(self, path: str) -> bool:
        if Path(path).name != self.path.name:
            return False
        return (self.config.invocation_params.dir / path).resolve() == self.path.resolve()

    def _listed(self, verdict: ClaimVerdict) -> Iterator[Placeholder]:
        """Yield placeholders with the verdict on the file, under the ids of all claims."""
        names = {**dict(listed(self.exercise)), **dict.fromkeys(self._asked & {NOT_STARTED}, "")}
        for name, claim in names.items():
            yield Placeholder.about(self, verdict, name=name, line=self.line(claim))

    def note(self, verdict: ClaimVerdict, case: Any) -> None:
        """Add a verdict for the diagnosis."""
        self._verdicts.append((verdict, case))

    def diagnose(self) -> None:
        """Name the mistake behind the claims that have failed, unless no claim was added."""
        judged = self._verdicts
        is_new = len(judged) > self._diagnosed
        if is_new and any(verdict.state is State.FAILED for verdict, _ in judged):
            from kata.diagnosis.diagnose import diagnose
            from kata.diagnosis.observe import Finding, finding

            findings: dict[str, Finding] = {v.name: finding(v, case) for v, case in judged}
            text = self.target.source(self.exercise.slug).text
            self.diagnosis = diagnose(self.exercise, findings, text=text)
            self._diagnosed, self._is_reported = len(judged), False

    def teardown(self) -> None:
        """Forget the verdicts once the last claim has run: they hold the learner's objects."""
        self._verdicts.clear()

    def line(self, claim: str) -> int:
        """Return the line where the function or class begins that a claim is about, or else 1."""
        return self._lines.get(about(self.exercise, claim), 1) if claim else 1

    @cached_property
    def _lines(self) -> dict[str, int]:
        try:
            return top_lines(self.target.source(self.exercise.slug))
        except UnusableError:
            return {}

    @property
    def time_limit(self) -> float:
        """Seconds of computing for a claim; `--timeout` sets another limit."""
        return self.config.getoption("--timeout", None) or TIME_LIMIT

    def judged(self, claim: ClaimVerdict) -> JudgedClaim:
        """Return the verdict with the exercise that it is about."""
        slug, folder = self.exercise.slug, str(self.target.folder)
        return JudgedClaim(claim, folder, slug, self.learner, stand_ins=self.target.stand_ins(slug))

    def new_diagnosis(self) -> Diagnosis | None:
        """Return the mistake the first time that it is asked for: one report is enough."""
        is_repeat, self._is_reported = self._is_reported, True
        return None if is_repeat else self.diagnosis

    def _claims(self) -> Iterator[Placeholder | ClaimItem]:
        try:
            names = self._names()
        # A fault of the kata itself costs no other exercise anything.
        except Exception as error:
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
        """Return the ids of the claims; of a suite itself, without an import."""
        if not self.learner:
            return [name for name, _ in listed(self.exercise)]
        from kata.judging.judge import suite

        # The file is read now, and not when its first claim is checked.
        assert self.attempt
        return [claim.id for claim in suite(self.exercise)]

    @cached_property
    def attempt(self) -> "Attempt":
        """The attempt on which all claims of this file are checked."""
        from kata.judging.attempt import Attempt

        return Attempt(self.exercise, self.target)


class StrayFile(pytest.File):
    """A file with almost the name of an exercise."""

    def collect(self) -> Iterator[Placeholder]:
        """Yield an item that says what the name should be."""
        message = Message(stray(self.path.name, self.path.stem))
        yield Placeholder.about(self, ClaimVerdict("name", State.ERROR, message))

    def judged(self, claim: ClaimVerdict) -> JudgedClaim:
        """Return the verdict about a file that belongs to no exercise."""
        return JudgedClaim(claim, str(self.path))


def collectors(path: Path, parent: pytest.Collector) -> list[pytest.Collector] | None:
    """Return the collectors of this file; none for a file of the kata that a track leaves out.

    For any other file the answer is None.
    """
    slug = path.stem.removeprefix("test_") if _is_suite(path) else path.stem
    if slug in exercises():
        is_wanted = exercises()[slug].is_in(_track(parent.config))
        return [exercise_file(parent, path, slug)] if is_wanted else []
    return [StrayFile.from_parent(parent, path=path)] if is_misspelled(path) else None


def _track(config: pytest.Config) -> str:
    return "core" if config.getoption("--core") else config.getoption("--track") or ""


def folder_in_place_of_a_file(path: Path, parent: pytest.Collector) -> ExerciseFile | None:
    """Return the collector of a folder that has the name of an exercise file."""
    return exercise_file(parent, path, path.stem) if path.stem in exercises() else None


def exercise_file(parent: pytest.Collector, path: Path, slug: str) -> ExerciseFile:
    """Return the collector of an exercise file, or of a suite, which is judged on the reference."""
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
    return path.name.startswith("test_") and path.parent in suite_folders()


def is_misspelled(path: Path) -> bool:
    """Return whether the name is close to that of an exercise without a file in this folder.

    Other courses have files such as `ex01_solution.py`: without a file of the kata beside it, a
    name has to be very close.
    """
    missing = [slug for slug in exercises() if not (path.parent / f"{slug}.py").exists()]
    if len(missing) < len(exercises()):
        return bool(did_you_mean(path.stem, missing))
    return bool(get_close_matches(path.stem.lower(), missing, n=1, cutoff=CLOSE))


def _fail_unless_fine(verdict: ClaimVerdict) -> None:
    """Stop an item as pytest expects it; the report gets its words later."""
    if verdict.state not in FINE:
        pytest.fail(verdict.name, pytrace=False)


def raise_for_debugger(error: BaseException | None, folder: Path) -> None:
    """Raise the error of a claim again, so that its last frame is one that a learner wants to see.

    Args:
        error: the error that ended the claim; nothing is raised if it held.
        folder: the learner's files.
    """
    if last := _last(error, {folder, *suite_folders()}):
        # The frames of libraries and of the kata below it are of no interest.
        last.tb_next = None
        assert error
        raise error


def variables(error: BaseException | None, folder: Path) -> list[tuple[str, str]]:
    """Return the variables of the learner's function when it raised, as a section of a report."""
    if not (last := _last(error, {folder})):
        return []
    frame = last.tb_frame
    lines = list(_lines(frame.f_locals))[:MOST_VARIABLES]
    return [(clean(f"variables of {frame.f_code.co_name}"), "\n".join(lines))]


def _lines(variables: dict[str, object]) -> Iterator[str]:
    from kata.judging.values import shape

    for name, value in variables.items():
        try:
            yield cut(line(shape(name, value)), LONGEST, "…")
        # The learner's own __repr__ may raise anything.
        except Exception as error:
            yield f"{name}: {type(error).__name__}"


def _last(error: BaseException | None, folders: set[Path]) -> TracebackType | None:
    """Return the deepest entry of a traceback that is in one of these folders."""
    last, trace = None, error.__traceback__ if error else None
    while trace:
        if Path(trace.tb_frame.f_code.co_filename).parent in folders:
            last = trace
        trace = trace.tb_next
    return last
