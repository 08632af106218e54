"""The report of a pytest run: the first failure of every exercise, and the board."""

import gc
import logging
import re
import sys
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from kata.course.curriculum import exercises
from kata.files import write_file
from kata.judging.limits import LONGEST_OUTPUT
from kata.learner.collection import FINE, QUIET, ClaimItem, Placeholder
from kata.learner.run_record import (
    RUN_RECORD,
    JudgedClaim,
    Key,
    RunRecord,
    judged_claim,
)
from kata.plain import encode
from kata.terminal.board import board
from kata.terminal.message import message
from kata.terminal.style import Style, style_of
from kata.text import clean
from kata.verdict import ClaimVerdict, ExerciseVerdict, Message, State, telling

NAME = "kata reporter"
STOPPING = KeyboardInterrupt, pytest.exit.Exception
MORE_FAILED = "more failed"
Failure = tuple[pytest.TestReport, JudgedClaim]


def start(config: pytest.Config) -> None:
    """Listen to this run, with an empty record of it."""
    if config.pluginmanager.hasplugin(NAME):
        return
    config.stash[RUN_RECORD] = RunRecord()
    config.pluginmanager.register(Reporter(config), NAME)
    config.pluginmanager.register(RunHooks(), f"{NAME} of claims")


class RunHooks:
    """Puts verdicts into the reports of claims, in a form that crosses to another process."""

    def pytest_collection_finish(self) -> None:
        """Exempt from garbage collection what lives to the end of the run, torch above all."""
        # Pytest collects garbage five times before it ends: a tenth of a run without any work.
        gc.freeze()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Put the verdict into the report.

        Editors and CI read a report as soon as it is made: the mistake has to be named before.
        """
        if isinstance(item, ClaimItem) and call.when == "call" and call.excinfo:
            judge_the_rest(item)
        report = yield
        if isinstance(item, Placeholder | ClaimItem) and call.when == "call":
            _fill_in(report, item, item.judged(call))
        return report

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Save what passed; exit with status 1 while work is left, even if nothing has failed."""
        record, config = session.config.stash[RUN_RECORD], session.config
        if session.exitstatus == pytest.ExitCode.OK and record.work_left:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED
        if not hasattr(config, "workerinput"):
            record.remember()
            config.add_cleanup(record.tell)


def _fill_in(report: pytest.TestReport, item: Placeholder | ClaimItem, judged: JudgedClaim) -> None:
    state = judged.claim.state
    report.outcome = _outcome(state)
    report.longrepr = _reason(item, judged)
    report.sections = [(name, _cut(text)) for name, text in report.sections]
    report.kata = encode(judged)  # type: ignore[attr-defined]  # extra fields travel
    if state is State.ERROR:
        # It is about the file, whichever claim met it first.
        report.location = (*report.location[:2], item.path.name)
    if isinstance(item, ClaimItem):
        report.sections += item.variables
        if item.ahead:
            report.start, report.stop = item.ahead.start, item.ahead.stop
            report.duration = item.ahead.duration


def _outcome(state: State) -> Any:
    if state is State.PASSED:
        return "passed"
    return "skipped" if state in FINE else "failed"


def _reason(item: Placeholder | ClaimItem, judged: JudgedClaim) -> Any:
    """Return why a claim was skipped, or the whole message if it failed."""
    outcome = _outcome(judged.claim.state)
    if outcome == "skipped":
        return str(item.path), 0, judged.message.claim
    if outcome == "passed":
        return None
    style = style_of(sys.__stdout__ or sys.stdout)._replace(colour=False)
    diagnosis = item.file.diagnosis if isinstance(item, ClaimItem) else None
    return message(judged.message, style, diagnosis)


def _cut(text: str) -> str:
    if len(text) <= LONGEST_OUTPUT:
        return text
    return f"{text[:LONGEST_OUTPUT]}\n… cut after {LONGEST_OUTPUT} of {len(text)} characters"


def judge_the_rest(failed: ClaimItem) -> None:
    """Judge the other claims of the file that this run selects; then look for the mistake."""
    # A debugger stops at the claims in turn.
    has_debugger = failed.config.getoption("usepdb")
    if not has_debugger and not failed.ahead:
        _look_ahead(failed)
    failed.file.diagnose()


def _look_ahead(failed: ClaimItem) -> None:
    run = _runner(failed.config)
    with _logging_to_stderr():
        for item in failed.session.items:
            if isinstance(item, ClaimItem) and item.file is failed.file and not item.was_called:
                item.ahead = pytest.CallInfo.from_call(partial(run, item=item), when="call")
                if item.ahead.excinfo and isinstance(item.ahead.excinfo.value, STOPPING):
                    return


def _runner(config: pytest.Config) -> Callable[..., None]:
    """Return pytest's hook without its logging, which needs items that were set up."""
    plugins = config.pluginmanager
    hook: Callable[..., None] = plugins.subset_hook_caller(
        "pytest_runtest_call", [plugins.get_plugin("logging-plugin")]
    )
    return hook


@contextmanager
def _logging_to_stderr() -> Iterator[None]:
    """Send warnings where Python itself does without a handler, so that pytest captures them."""
    root, handler = logging.getLogger(), logging.lastResort or logging.NullHandler()
    root.addHandler(handler)
    try:
        yield
    finally:
        root.removeHandler(handler)


class Reporter:
    """Adds every report to the run record, and shows the claims that do not hold."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.record = config.stash[RUN_RECORD]
        self.everything = config.get_verbosity() > 0
        self.plots: Path | None = config.getoption("--plots")
        self.is_worker = hasattr(config, "workerinput")
        self.complaint = ""
        self.failed: dict[Key, list[Failure]] = {}

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Add the verdict in a report."""
        if claim := judged_claim(report):
            self.record.note(claim)
            if report.failed:
                self._plot(claim.slug, claim.claim)
                self.failed.setdefault(claim.key, []).append((report, claim))

    def pytest_report_teststatus(self, report: pytest.TestReport) -> tuple[str, str, Any] | None:
        """Count a claim that is not written or not reachable as neither passed nor failed."""
        if not (claim := judged_claim(report)):
            return None
        state = claim.claim.state
        if state in QUIET:
            return str(state), QUIET[state], (state.upper(), {"yellow": True})
        if report.failed and not self.everything and report is not self.failed[claim.key][0][0]:
            return MORE_FAILED, "F", "FAILED"
        return None

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self) -> None:
        """Write failures in this terminal's colours, before pytest prints them."""
        if not (terminal := self.config.pluginmanager.get_plugin("terminalreporter")):
            return
        style = _style(terminal)
        for key, failures in self.failed.items():
            first, _ = min(failures, key=lambda failure: failure[1].line)
            for report, claim in failures:
                is_alone = report is first and not self.everything
                diagnosis = self.record.diagnosis(key) if report is first else None
                beside = _beside(claim, failures) if is_alone else ()
                report.longrepr = message(claim.message, style, diagnosis, beside)
            if not self.everything:
                _put_first(first, failures[0][0], terminal.stats)
        if self.config.getoption("--tb") == "line":
            self._reduce_to(lambda report, message: _Line(_place(report, message), message.brief))

    def pytest_terminal_summary(self, terminalreporter: "pytest.TerminalReporter") -> None:
        """Show the board, below the failures."""
        style = _style(terminalreporter)
        for folder in self.record.folders:
            where = _relative(folder)
            terminalreporter.section(f"attention kata: {where}")
            outlook = self.record.outlook(folder)
            outlook = outlook._replace(next=outlook.next and self._brief(outlook.next))
            verdicts = map(self._brief, self.record.board(folder))
            for line in board(verdicts, exercises(), where, style, outlook):
                terminalreporter.line(line)
        for line in self._remarks(more=MORE_FAILED in terminalreporter.stats):
            terminalreporter.line(line)
        # In a CI, pytest does not shorten its closing lines.
        self._reduce_to(_evidence)

    def _reduce_to(self, line: Callable[[pytest.TestReport, Message], Any]) -> None:
        """Reduce every failure to one line from here on."""
        for failures in self.failed.values():
            for report, claim in failures:
                report.longrepr = line(report, claim.message)

    def _brief(self, verdict: ExerciseVerdict) -> ExerciseVerdict:
        """Take the messages off the board: they stand above it, unless `--tb=no` hides them."""
        if self.config.getoption("--tb") == "no":
            return verdict
        if all(claim.state in FINE for claim in verdict.claims):
            return verdict
        claims = tuple(
            replace(claim, message=replace(claim.message, claim="", evidence=""))
            if claim.message and claim.state not in FINE
            else claim
            for claim in verdict.claims
        )
        return replace(verdict, claims=claims)

    def _remarks(self, *, more: bool) -> Iterator[str]:
        skipped = self.record.skipped
        if more:
            yield (
                f"-v shows every claim that fails; `kata hint {self.record.in_work}` gives a hint"
            )
        if skipped and self.everything:
            yield f"{skipped} claims are for a GPU and were skipped: they do not count"
        if self.complaint:
            yield self.complaint

    def _plot(self, slug: str, verdict: ClaimVerdict) -> None:
        """Write an SVG for a claim that fails and has a picture; only one process writes."""
        if not self.plots or self.is_worker:
            return
        from kata.pictures.svg import heat_maps

        picture = heat_maps(verdict, f"{slug}: {verdict.name}")
        if not picture:
            return
        name = re.sub(r"\W", "_", verdict.name).strip("_")
        try:
            self.plots.mkdir(parents=True, exist_ok=True)
            write_file(self.plots / f"{slug}-{name}.svg", picture)
        except OSError as error:
            self.complaint = clean(f"no plots: {self.plots} cannot be written: {error.strerror}")


def _put_first(
    first: pytest.TestReport, earliest: pytest.TestReport, stats: dict[str, list[Any]]
) -> None:
    """Show the first claim in file order in place of the report that a worker sent earliest."""
    if first is not earliest:
        failed, more = stats["failed"], stats[MORE_FAILED]
        failed[failed.index(earliest)], more[more.index(first)] = first, earliest


def _beside(first: JudgedClaim, failures: list[Failure]) -> list[str]:
    """Return the other claims that fail, in file order."""
    ordered = sorted((claim for _, claim in failures), key=lambda claim: claim.line)
    return telling([claim.claim for claim in ordered if claim is not first])


def _evidence(_: pytest.TestReport, message: Message) -> str:
    return (message.evidence or message.claim).partition("\n")[0]


class _Line:
    """A failure for `--tb=line`, of which pytest prints `reprcrash`, in one line."""

    def __init__(self, place: str, text: str) -> None:
        self.reprcrash = f"{place}: {text.partition(chr(10))[0]}"

    def toterminal(self, _: object) -> None:
        """Write nothing more."""


def _place(report: pytest.TestReport, message: Message) -> str:
    """Return the learner's file with the line that is at fault, or else that of the function."""
    path, line, _ = report.location
    return f"{path}:{message.line or (line or 0) + 1}"


def _style(terminal: "pytest.TerminalReporter") -> Style:
    """Return the style of lines between pytest's own."""
    return style_of(sys.__stdout__ or sys.stdout)._replace(colour=terminal.hasmarkup)


def _relative(folder: Path) -> Path:
    here = Path.cwd()
    return folder.relative_to(here) if folder.is_relative_to(here) else folder
