"""Fixtures for tests that run the real thing."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.kata.learner import Learner
from tests.kata.running import Commands

COMMANDS = pytest.StashKey[Commands]()
LONG = {"test_gates.py", "test_mutants.py"}


def pytest_collection_finish(session: pytest.Session) -> None:
    """Begin at once with what takes longest, if it was asked for."""
    chosen = [item for item in session.items if item.path.name in LONG]
    if any("commands" in getattr(item, "fixturenames", ()) for item in chosen):
        session.config.stash[COMMANDS] = Commands()


def pytest_sessionfinish(session: pytest.Session) -> None:
    if COMMANDS in session.config.stash:
        session.config.stash[COMMANDS].end()


@pytest.fixture(scope="session")
def commands(pytestconfig: pytest.Config) -> Commands:
    """Long commands, which were started before the first test."""
    return pytestconfig.stash[COMMANDS]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        item.add_marker(pytest.mark.timeout(300))


@pytest.fixture
def learner(tmp_path: Path) -> Learner:
    return Learner(tmp_path)


@pytest.fixture
def says(learner: Learner) -> Callable[[str], str]:
    """What a learner reads whose softmax has this body."""

    def run(body: str, top: str = "import numpy as np") -> str:
        learner.softmax(body, top)
        return learner.run().out

    return run
