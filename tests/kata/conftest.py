"""Fixtures for tests that run the real thing."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.helpers.learner_folder import Learner

ENDLESS = 1800  # seconds: no busy machine is that slow; what takes longer waits for ever


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        item.add_marker(pytest.mark.timeout(ENDLESS))


@pytest.fixture
def learner(tmp_path: Path) -> Learner:
    return Learner(tmp_path)


@pytest.fixture
def says(learner: Learner) -> Callable[[str], str]:
    """What a learner reads who wrote this body of softmax."""

    def run(body: str, top: str = "import numpy as np") -> str:
        learner.softmax(body, top)
        return learner.run().out

    return run
