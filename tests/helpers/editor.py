"""A pytest plugin that notes what an editor would show: a stand-in for that of VS Code.

It listens where that one does (github.com/microsoft/vscode-python, in its file
python_files/vscode_pytest/__init__.py): after collection, to the line of every item; in a run, to
the status of each report and to exceptions that one may look at, of which the first is shown.
"""

import json
import os
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

NOTES = "EDITOR_NOTES"  # the environment variable with the file that is written
SHOWN: pytest.StashKey[dict[str, str]] = pytest.StashKey()


def pytest_configure(config: pytest.Config) -> None:
    config.stash[SHOWN] = {}


@pytest.hookimpl(wrapper=True, trylast=True)
def pytest_report_teststatus(
    report: pytest.TestReport, config: pytest.Config
) -> Generator[None, Any, Any]:
    if report.when == "call":
        text = report.longreprtext if report.failed else ""
        config.stash[SHOWN].setdefault(report.nodeid, text)
    return (yield)


def pytest_exception_interact(node: pytest.Item, report: pytest.TestReport) -> None:
    node.config.stash[SHOWN].setdefault(report.nodeid, report.longreprtext)


def pytest_sessionfinish(session: pytest.Session) -> None:
    lines = {each.nodeid: each.location[1] for each in session.items}
    found = {"lines": lines, "shown": session.config.stash[SHOWN]}
    Path(os.environ[NOTES]).write_text(json.dumps(found), encoding="utf-8")
