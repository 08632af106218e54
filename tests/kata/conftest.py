"""Fixtures for tests that run the real thing."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.kata.learner import Learner


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
