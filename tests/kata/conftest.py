"""Fixtures for tests that run the real thing."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from kata.learner import waiting_judge
from tests.helpers.learner_folder import Learner
from tests.helpers.warm import lent_judges
from tests.helpers.watching import LocalWatch

ENDLESS = 1800  # seconds: no busy machine is that slow; what takes longer waits for ever


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        item.add_marker(pytest.mark.timeout(ENDLESS))


@pytest.fixture
def learner(tmp_path: Path) -> Learner:
    return Learner(tmp_path)


@pytest.fixture
def watch(learner: Learner, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., LocalWatch]]:
    """Begin to watch the learner's folder, with judges that are lent."""
    monkeypatch.chdir(learner.home)
    monkeypatch.setattr(waiting_judge, "context", lent_judges)
    begun: list[LocalWatch] = []

    def begin(**options: object) -> LocalWatch:
        begun.append(LocalWatch(learner, **options))
        return begun[-1]

    yield begin
    for watcher in begun:
        watcher.end()
