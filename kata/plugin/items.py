"""The items of pytest: a claim about a file, or what is to be said of a file as a whole."""

from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from kata.judging.limits import PATIENCE, OutOfTimeError, computing, overtime
from kata.plugin.at_fault import raise_for_debugger, variables
from kata.plugin.report_data import JudgedClaim
from kata.verdict import ClaimVerdict, Message, State

if TYPE_CHECKING:
    from kata.plugin.collection import ExerciseFile, StrayFile

QUIET = {State.NOT_STARTED: "-", State.BLOCKED: "b"}  # neither green nor red
FINE = {State.PASSED, State.SKIPPED, *QUIET}


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
        """An item that says so, at the line that is known or else at this one."""
        at = (verdict.message.line if verdict.message else 0) or 1
        if verdict.state is State.NOT_STARTED and line:
            at = line
        item: Placeholder = cls.from_parent(
            file, name=name or verdict.name, file=file, verdict=verdict, line=at
        )
        return item

    def __repr__(self) -> str:
        """For `--collect-only`, which shows claims like this."""
        return f"<Claim {self.name}>"

    def runtest(self) -> None:
        """Fail unless all is fine: nothing is left to find out."""
        _fail_unless_fine(self.verdict)

    def judged(self, _: pytest.CallInfo[None]) -> JudgedClaim:
        """The verdict that was there beforehand."""
        return self.file.carried(self.verdict)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """The learner's file, which is also the heading, and the line to begin at."""
        return self.path, self.line - 1, self.path.name


class Outdated(Placeholder):
    """An id that was there before the file was begun; nothing is known of the exercise by it."""

    def judged(self, _: pytest.CallInfo[None]) -> JudgedClaim:
        """A verdict about the file alone, so that the board does not count it."""
        return JudgedClaim(self.verdict, str(self.path))


class ClaimItem(pytest.Item):
    """One claim about one file.

    Attributes:
        file: that it is about.
        ahead: the call of this claim, if it was judged when another one failed.
        variables: those of the learner's function that raised, as sections of the report.
    """

    def __init__(self, *, file: "ExerciseFile", **names: Any) -> None:
        super().__init__(**names)
        self.file = file
        self.ahead: pytest.CallInfo[None] | None = None
        self.variables: list[tuple[str, str]] = []
        self._case: Any = None
        self._verdict: ClaimVerdict | None = None
        # For the call alone: naming the mistake, which comes after it, is not the learner's time.
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
        """Whether nothing is left to find out."""
        return self._case is not None or self.ahead is not None

    def runtest(self) -> None:
        """Check the claim, or end as it has ended before; a time limit interrupts here."""
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
        """The verdict on the claim; without one, something stopped it."""
        carried = self.file.carried(self._verdict or self._stopped(self.ahead or call))
        digest = self.file.target.digest(carried.slug)
        return replace(carried, digest=digest, total=self._total(), line=self._claim.line)

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
        """The learner's function, and a heading: the exercise with the claim."""
        line = self.file.line(self.name.partition("[")[0])
        return self.path, line - 1, f"{self.file.exercise.short} {self.name}"


def _fail_unless_fine(verdict: ClaimVerdict) -> None:
    """Stop an item as pytest expects it; the report is given its words later."""
    if verdict.state not in FINE:
        pytest.fail(verdict.name, pytrace=False)
