"""What a run shows: the first claim of each exercise that fails, and the board."""

import re
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from _pytest._code.code import ReprFileLocation, TerminalRepr
from _pytest._io import TerminalWriter

from kata.course.curriculum import exercises
from kata.plugin.collection import QUIET
from kata.plugin.run_record import RUN_RECORD
from kata.terminal import message as show
from kata.terminal.board import board
from kata.terminal.style import Style, style_of
from kata.terminal.svg import heat_maps
from kata.verdict import ClaimVerdict, Diagnosis, Message, State, claim_from_dict
from kata.words import say

MORE_FAILED = "more failed"


class Failure(TerminalRepr):
    """A message as pytest shows it: all of it in the report, its claim alone in the summary.

    Where the environment says that this is a CI, pytest's summary does not shorten messages.
    """

    def __init__(self, message: Message, style: Style, path: str) -> None:
        self.message = message
        self.style = style
        self.diagnosis: Diagnosis | None = None
        self.reprcrash = ReprFileLocation(path, 0, message.claim)

    def toterminal(self, tw: TerminalWriter) -> None:
        """The whole message, in this terminal's colours and width."""
        style = replace(self.style, colour=tw.hasmarkup, width=tw.fullwidth)
        tw.line(show.message(self.message, style, self.diagnosis))


class Reporter:
    """Writes every report into the ledger, and words what does not hold; in every process."""

    def __init__(self, config: pytest.Config) -> None:
        self.ledger = config.stash[RUN_RECORD]
        self.everything = config.get_verbosity() > 0
        self.style = style_of(sys.__stdout__ or sys.stdout)
        self.plots: Path | None = config.getoption("--plots")
        self.is_worker = hasattr(config, "workerinput")
        self.complaint = ""
        self.failed: dict[tuple[str, str], list[pytest.TestReport]] = {}

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note what was found, and word what does not hold."""
        if diagnosis := getattr(report, "kata_diagnosis", None):
            self.ledger.diagnosed(diagnosis)
        if not (found := getattr(report, "kata", None)):
            return
        self.ledger.note(found)
        if report.failed:
            verdict = claim_from_dict(found["claim"])
            message = verdict.message or Message(verdict.name)
            report.longrepr = Failure(message, self.style, report.location[0])
            self._plot(found["slug"], verdict)
            self._of_same_exercise(report).append(report)

    def pytest_report_teststatus(self, report: pytest.TestReport) -> tuple[str, str, Any] | None:
        """Not written and not reachable are neither passed nor failed; some failures are brief."""
        if not (found := getattr(report, "kata", None)):
            return None
        state = State(found["claim"]["state"])
        if state in QUIET:
            return str(state), QUIET[state], (state.upper(), {"yellow": True})
        if (
            report.failed
            and not self.everything
            and report is not self._of_same_exercise(report)[0]
        ):
            return MORE_FAILED, "F", "FAILED"
        return None

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self) -> None:
        """Show the first claim in file order, also if another worker was faster."""
        for key, (shown, *others) in self.failed.items():
            first = min([shown, *others], key=lambda each: each.kata["line"])
            shown.__dict__, first.__dict__ = first.__dict__, shown.__dict__
            if isinstance(shown.longrepr, Failure):
                shown.longrepr.diagnosis = self.ledger.diagnosis(key)

    def pytest_terminal_summary(self, terminalreporter: Any, exitstatus: int) -> None:
        """The board, below the failures."""
        tw = terminalreporter._tw
        style = replace(self.style, colour=tw.hasmarkup, width=tw.fullwidth)
        for folder, verdicts in self.ledger.boards():
            where = _relative(folder)
            terminalreporter.section(f"attention kata: {where}")
            for line in board(verdicts, exercises(), where, style):
                terminalreporter.line(line)
        if MORE_FAILED in terminalreporter.stats:
            terminalreporter.line(say("plugin.more"))
        if count := self.ledger.skipped:
            terminalreporter.line(say("plugin.skipped", count=count))
        if self.complaint:
            terminalreporter.line(self.complaint)
        if exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED and not self.ledger.collected:
            terminalreporter.line(say("plugin.no-exercise"))

    def _plot(self, slug: str, verdict: ClaimVerdict) -> None:
        """One SVG for each claim that fails and has a picture; only one process writes."""
        picture = heat_maps(verdict, f"{slug}: {verdict.name}")
        if not picture or not self.plots or self.is_worker:
            return
        name = re.sub(r"\W", "_", verdict.name).strip("_")
        try:
            self.plots.mkdir(parents=True, exist_ok=True)
            (self.plots / f"{slug}-{name}.svg").write_text(picture, encoding="utf-8")
        except OSError as error:
            self.complaint = say("plugin.no-plots", path=self.plots, reason=error.strerror)

    def _of_same_exercise(self, report: pytest.TestReport) -> list[pytest.TestReport]:
        found = report.kata
        return self.failed.setdefault((found["folder"], found["slug"]), [])


def _relative(folder: Path) -> Path:
    here = Path.cwd()
    return folder.relative_to(here) if folder.is_relative_to(here) else folder
