"""What a pytest run does with claims, from the first exercise file on that it meets."""

import sys
from collections.abc import Generator
from dataclasses import replace
from typing import Any

import pytest

from kata.judging.limits import LONGEST_OUTPUT
from kata.plain import encode
from kata.plugin.ahead import judge_the_rest
from kata.plugin.items import FINE, ClaimItem, Placeholder
from kata.plugin.report_data import JudgedClaim
from kata.plugin.reporter import Reporter
from kata.plugin.run_record import RUN_RECORD, RunRecord
from kata.terminal.message import message
from kata.terminal.style import style_of
from kata.verdict import Diagnosis, State

NAME = "kata reporter"


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
