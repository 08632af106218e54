"""The pytest plugin: an exercise file is collected as its graded suite bound to that file.

It does nothing where no exercise file is collected, and depends on no ini file: exercises may lie
in any folder. torch and numpy are not imported before a started exercise asks for them.
"""

import sys
from collections.abc import Generator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from kata.course.curriculum import GRADED, exercises
from kata.judging.limits import LONGEST_OUTPUT
from kata.plain import encode
from kata.plugin.carried import JudgedClaim
from kata.plugin.collection import (
    FINE,
    ClaimItem,
    ExerciseFile,
    Placeholder,
    StrayFile,
    exercise_file,
    is_misspelled,
)
from kata.plugin.reporter import Reporter
from kata.plugin.run_record import RUN_RECORD, RunRecord
from kata.terminal.message import message
from kata.terminal.style import style_of
from kata.verdict import State
from kata.words import say


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options of the kata."""
    group = parser.getgroup("attention kata")
    group.addoption("--solutions", action="store_true", help="judge the reference solutions")
    group.addoption("--core", action="store_true", help="the seven core exercises only")
    group.addoption("--plots", metavar="DIR", type=Path, help="heat maps of what fails, as SVG")


def pytest_configure(config: pytest.Config) -> None:
    """Start with an empty record of the run."""
    config.stash[RUN_RECORD] = RunRecord()


def pytest_sessionstart(session: pytest.Session) -> None:
    """Register what listens to reports."""
    session.config.pluginmanager.register(Reporter(session.config), "kata reporter")


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(
    file_path: Path, parent: pytest.Collector
) -> Generator[None, list[pytest.Collector], list[pytest.Collector]]:
    """Replace pytest's own collector, which would import the file."""
    others = yield
    if file_path.suffix != ".py":
        return others
    graded = file_path.parent == GRADED
    slug = file_path.stem.removeprefix("test_") if graded else file_path.stem
    if slug in exercises():
        return [exercise_file(parent, file_path, slug)] if _is_wanted(slug, parent.config) else []
    if is_misspelled(file_path):
        return [StrayFile.from_parent(parent, path=file_path)]
    return others


def _is_wanted(slug: str, config: pytest.Config) -> bool:
    return exercises()[slug].core or not config.getoption("--core")


@pytest.hookimpl(tryfirst=True)
def pytest_collect_directory(path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """A folder named like an exercise is reported as a file that cannot be read."""
    if path.suffix == ".py" and path.stem in exercises():
        return exercise_file(parent, path, path.stem)
    return None


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Put the verdict into the report, in a form that crosses to another process."""
    report = yield
    if isinstance(item, Placeholder | ClaimItem) and call.when == "call":
        found = item.judged(call)
        report.outcome = _outcome(found.claim.state)
        report.longrepr = _reason(item, found)
        report.sections = [(name, _cut(text)) for name, text in report.sections]
        report.kata = encode(found)  # type: ignore[attr-defined]  # extra fields travel
        if found.claim.state is State.ERROR:  # is about the file, whichever claim met it first
            report.location = (*report.location[:2], item.path.name)
    if call.when == "teardown" and isinstance(item.parent, ExerciseFile):
        report.kata_diagnosis = encode(item.parent.diagnosed())  # type: ignore[attr-defined]  # extra fields travel
    return report


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_teardown(item: pytest.Item) -> None:
    """Stop the clock: the search for the mistake's name is not the learner's time."""
    if isinstance(item, ClaimItem) and item.config.pluginmanager.hasplugin("timeout"):
        item.ihook.pytest_timeout_cancel_timer(item=item)


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Save what passed; exit with status 1 while work is left, even if nothing has failed."""
    record, config = session.config.stash[RUN_RECORD], session.config
    if session.exitstatus == pytest.ExitCode.OK and record.work_left:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
    if not hasattr(config, "workerinput"):
        record.remember()


def _outcome(state: State) -> Any:
    if state is State.PASSED:
        return "passed"
    return "skipped" if state in FINE else "failed"


def _reason(item: pytest.Item, found: JudgedClaim) -> Any:
    """Why a claim was skipped, or all that is to be said of one that failed."""
    outcome = _outcome(found.claim.state)
    if outcome == "skipped":
        return str(item.path), 0, found.message.claim
    plain = replace(style_of(sys.__stdout__ or sys.stdout), colour=False)
    return message(found.message, plain) if outcome == "failed" else None


def _cut(text: str) -> str:
    if len(text) <= LONGEST_OUTPUT:
        return text
    return f"{text[:LONGEST_OUTPUT]}\n{say('plugin.cut', count=LONGEST_OUTPUT, all=len(text))}"
