"""What a pytest run shows: the first claim of each exercise that fails, and the board."""

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
    diagnosed_file,
    judged_claim,
)
from kata.plain import encode
from kata.terminal.board import board
from kata.terminal.message import message
from kata.terminal.style import Style, style_of
from kata.text import clean
from kata.verdict import ClaimVerdict, Diagnosis, ExerciseVerdict, Message, State, telling

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
    config.pluginmanager.register(sys.modules[__name__], "kata hooks")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Put the verdict into the report, in a form that crosses to another process.

    Editors and CI read the report as soon as it is made, so the mistake has to be named by then.
    """
    if isinstance(item, ClaimItem) and call.when == "call" and call.excinfo:
        judge_the_rest(item)
    report = yield
    if isinstance(item, Placeholder | ClaimItem) and call.when == "call":
        _tell(report, item, call)
    return report


def _tell(
    report: pytest.TestReport, item: Placeholder | ClaimItem, call: pytest.CallInfo[None]
) -> None:
    claim = item.judged(call)
    report.outcome = _outcome(claim.claim.state)
    report.longrepr = _reason(item, claim)
    report.sections = [(name, _cut(text)) for name, text in report.sections]
    report.kata = encode(claim)  # type: ignore[attr-defined]  # extra fields travel
    if claim.claim.state is State.ERROR:  # is about the file, whichever claim met it first
        report.location = (*report.location[:2], item.path.name)
    if isinstance(item, ClaimItem):
        report.sections += item.variables
        _tell_more(report, item)


def _tell_more(report: pytest.TestReport, item: ClaimItem) -> None:
    """Report what came out when a claim failed that came before this one."""
    if item.ahead:
        report.start, report.stop = item.ahead.start, item.ahead.stop
        report.duration = item.ahead.duration
    if report.failed and (diagnosed := item.file.diagnosed()):
        report.kata_diagnosis = encode(diagnosed)  # type: ignore[attr-defined]  # extra fields travel


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Save what passed; exit with status 1 while work is left, even if nothing has failed."""
    record, config = session.config.stash[RUN_RECORD], session.config
    if session.exitstatus == pytest.ExitCode.OK and record.work_left:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
    if not hasattr(config, "workerinput"):
        record.remember()
        config.add_cleanup(record.tell)


def _outcome(state: State) -> Any:
    if state is State.PASSED:
        return "passed"
    return "skipped" if state in FINE else "failed"


def _reason(item: Placeholder | ClaimItem, claim: JudgedClaim) -> Any:
    """Why a claim was skipped, or all that is to be said of one that failed."""
    outcome = _outcome(claim.claim.state)
    if outcome == "skipped":
        return str(item.path), 0, claim.message.claim
    plain = replace(style_of(sys.__stdout__ or sys.stdout), colour=False)
    return message(claim.message, plain, _diagnosis(item)) if outcome == "failed" else None


def _diagnosis(item: Placeholder | ClaimItem) -> Diagnosis | None:
    return item.file.diagnosis if isinstance(item, ClaimItem) else None


def _cut(text: str) -> str:
    if len(text) <= LONGEST_OUTPUT:
        return text
    return f"{text[:LONGEST_OUTPUT]}\n… cut after {LONGEST_OUTPUT} of {len(text)} characters"


def judge_the_rest(failed: ClaimItem) -> None:
    """Judge what this run will judge of the same file anyway; then look for the mistake."""
    debugs = failed.config.getoption("usepdb")  # and stops at each claim in turn
    if not debugs and not failed.ahead:
        _look_ahead(failed)
    failed.file.diagnose()


def _look_ahead(failed: ClaimItem) -> None:
    called = _caller(failed.config)
    with _logging_to_stderr():
        for item in failed.session.items:
            if isinstance(item, ClaimItem) and item.file is failed.file and not item.was_called:
                item.ahead = pytest.CallInfo.from_call(partial(called, item=item), when="call")
                if item.ahead.excinfo and isinstance(item.ahead.excinfo.value, STOPPING):
                    return


def _caller(config: pytest.Config) -> Callable[..., None]:
    """What calls an item: all of pytest but its logging, which works with items set up only."""
    plugins = config.pluginmanager
    hook: Callable[..., None] = plugins.subset_hook_caller(
        "pytest_runtest_call", [plugins.get_plugin("logging-plugin")]
    )
    return hook


@contextmanager
def _logging_to_stderr() -> Iterator[None]:
    """Where Python itself sends warnings that nobody handles, and pytest captures them."""
    root, handler = logging.getLogger(), logging.lastResort or logging.NullHandler()
    root.addHandler(handler)
    try:
        yield
    finally:
        root.removeHandler(handler)


class Reporter:
    """Notes every report in the run record, and shows what does not hold; in every process."""

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
        """Note the verdict in a report."""
        if diagnosed := diagnosed_file(report):
            self.record.diagnosed(diagnosed)
        if claim := judged_claim(report):
            self.record.note(claim)
            if report.failed:
                self._plot(claim.slug, claim.claim)
                self.failed.setdefault(claim.key, []).append((report, claim))

    def pytest_report_teststatus(self, report: pytest.TestReport) -> tuple[str, str, Any] | None:
        """Count what is not written or not reachable as neither passed nor failed."""
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
        """Put what failed into this terminal's colours, before pytest prints it."""
        if not (terminal := self.config.pluginmanager.get_plugin("terminalreporter")):
            return
        style = _style(terminal)
        for key, failures in self.failed.items():
            first, _ = min(failures, key=lambda failure: failure[1].line)
            for report, claim in failures:
                alone = report is first and not self.everything
                diagnosis = self.record.diagnosis(key) if report is first else None
                beside = _beside(claim, failures) if alone else ()
                report.longrepr = message(claim.message, style, diagnosis, beside)
            if not self.everything:
                _show(first, failures[0][0], terminal.stats)
        if self.config.getoption("--tb") == "line":
            self._reduce_to(lambda report, failure: _Line(_place(report, failure), failure.brief))

    def pytest_terminal_summary(self, terminalreporter: "pytest.TerminalReporter") -> None:
        """Show the board, below the failures."""
        style = _style(terminalreporter)
        for folder, verdicts in self.record.boards():
            where = _relative(folder)
            terminalreporter.section(f"attention kata: {where}")
            outlook = self.record.outlook(folder)
            outlook = replace(outlook, next=outlook.next and self._brief(outlook.next))
            exercise_verdicts = [self._brief(verdict) for verdict in verdicts]
            for line in board(exercise_verdicts, exercises(), where, style, outlook):
                terminalreporter.line(line)
        for line in self._remarks(more=MORE_FAILED in terminalreporter.stats):
            terminalreporter.line(line)
        self._reduce_to(_evidence)  # pytest does not shorten its closing lines in a CI

    def _reduce_to(self, line: Callable[[pytest.TestReport, Message], Any]) -> None:
        """Reduce every failure to one line from here on."""
        for failures in self.failed.values():
            for report, claim in failures:
                report.longrepr = line(report, claim.message)

    def _brief(self, verdict: ExerciseVerdict) -> ExerciseVerdict:
        """The verdict for the board: what failed stands above, unless `--tb=no` hides it."""
        if self.config.getoption("--tb") == "no":
            return verdict
        claims = tuple(
            replace(claim_verdict, message=replace(claim_verdict.message, claim="", evidence=""))
            if claim_verdict.message and claim_verdict.state not in FINE
            else claim_verdict
            for claim_verdict in verdict.claims
        )
        return replace(verdict, claims=claims)

    def _remarks(self, *, more: bool) -> list[str]:
        skipped = self.record.skipped
        remarks = [
            f"-v shows every claim that fails; `kata hint {self.record.in_work}` gives a hint"
            if more
            else "",
            f"{skipped} claims are for a GPU and were skipped: they do not count"
            if skipped and self.everything
            else "",
            self.complaint,
        ]
        return [*filter(None, remarks)]

    def _plot(self, slug: str, verdict: ClaimVerdict) -> None:
        """One SVG for each claim that fails and has a picture; only one process writes."""
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


def _show(
    first: pytest.TestReport, test_report: pytest.TestReport, stats: dict[str, list[Any]]
) -> None:
    """Let the first claim in file order be the one that failed, where a worker was faster."""
    if first is not test_report:
        failed, more = stats["failed"], stats[MORE_FAILED]
        failed[failed.index(test_report)], more[more.index(first)] = first, test_report


def _beside(first: JudgedClaim, failures: list[Failure]) -> list[str]:
    """The other claims that fail, in file order."""
    ordered = sorted((claim for _, claim in failures), key=lambda claim: claim.line)
    return telling([claim.claim for claim in ordered if claim is not first])


def _evidence(_: pytest.TestReport, message: Message) -> str:
    """What is wrong in a line."""
    return (message.evidence or message.claim).partition("\n")[0]


class _Line:
    """A failure for `--tb=line`: pytest prints what it is here, and then where it crashed."""

    def __init__(self, place: str, text: str) -> None:
        self.reprcrash = f"{place}: {text.partition(chr(10))[0]}"

    def toterminal(self, _: object) -> None:
        """Write nothing more."""


def _place(report: pytest.TestReport, message: Message) -> str:
    """The learner's file, and the line that is at fault or else that of the function."""
    path, line, _ = report.location
    return f"{path}:{message.line or (line or 0) + 1}"


def _style(terminal: "pytest.TerminalReporter") -> Style:
    """How to write between pytest's own lines."""
    return replace(style_of(sys.__stdout__ or sys.stdout), colour=terminal.hasmarkup)


def _relative(folder: Path) -> Path:
    here = Path.cwd()
    return folder.relative_to(here) if folder.is_relative_to(here) else folder
