"""Fixtures for tests that run the real thing."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from kata.course.curriculum import ROOT
from kata.learner import waiting_judge
from tests.helpers.learner_folder import FOLDER, Kata, Learner, Run, run_python
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
def kata(learner: Learner) -> Kata:
    """Run `kata COMMAND …` on the learner's folder, and type these keys."""

    def run(
        *words: str, folder: str = FOLDER, cwd: Path | None = None, keys: str = "", **settings: str
    ) -> Run:
        where = ["--folder", folder] if folder else []
        settings = {"COLUMNS": "80", "PYTHONPATH": str(ROOT), **settings}
        done = run_python("kata", [*words, *where], cwd or learner.home, keys=keys, **settings)
        assert "Traceback" not in done.out + done.err
        return done

    return run


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
