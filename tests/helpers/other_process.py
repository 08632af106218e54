"""A pytest plugin: tests run in another process, and their reports come back in reverse order.

A stand-in for pytest-xdist, without the start of a Python: what it asks of other plugins and sends
from process to process is the same.
"""

import json
import os
from pathlib import Path
from types import SimpleNamespace

import pytest

REPORTS = "reports.json"


@pytest.hookimpl(tryfirst=True)
def pytest_collection() -> bool:
    """Collect nothing in this process."""
    return True


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> bool:
    config = session.config
    if not os.fork():
        _work(session)
    os.wait()
    ids, reports = json.loads(Path(REPORTS).read_text(encoding="utf-8"))
    session.testscollected = len(ids)
    config.hook.pytest_xdist_node_collection_finished(node=SimpleNamespace(config=config), ids=ids)
    for data in reversed(reports):
        report = config.hook.pytest_report_from_serializable(config=config, data=data)
        config.hook.pytest_runtest_logreport(report=report)
    return True


def _work(session: pytest.Session) -> None:
    """Run all tests as a worker does, write down the reports, and end."""
    config, reports = session.config, []
    manager = config.pluginmanager
    config.workerinput = {}
    manager.unregister(manager.get_plugin("terminalreporter"))

    class Sender:
        def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
            data = config.hook.pytest_report_to_serializable(config=config, report=report)
            reports.append(data)

    manager.register(Sender())
    items = session.perform_collect()
    for item in items:
        config.hook.pytest_runtest_protocol(item=item, nextitem=None)
    text = json.dumps([[item.nodeid for item in items], reports])
    Path(REPORTS).write_text(text, encoding="utf-8")
    os._exit(0)
