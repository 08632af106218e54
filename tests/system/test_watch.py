"""`kata watch` as a plain log: a real process, real saves, and a judge that imports everything."""

import signal
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

from tests.helpers.answers import claims
from tests.helpers.learner_folder import Learner
from tests.helpers.processes import command, until
from tests.helpers.watching import (
    GO,
    Watch,
    assert_saves_are_judged,
    hold_torch_back,
    leave_suites_cold,
)
from tests.kata.commands.test_commands import RIGHT, SIGNED

LEFT_OVERS = "kata-*"


@pytest.fixture
def learner(tmp_path: Path) -> Learner:
    return Learner(tmp_path)


@pytest.fixture
def watch(learner: Learner) -> Iterator[Callable[..., Watch]]:
    started: list[Watch] = []

    def start(*words: str, **environment: str) -> Watch:
        started.append(Watch(learner, *words, **environment))
        return started[-1]

    yield start
    for watcher in started:
        watcher.stop()


@pytest.mark.parametrize("words", [(), ("--poll",)], ids=["watchfiles", "polling"])
def test_a_save_is_judged(
    learner: Learner, watch: Callable[..., Watch], words: tuple[str, ...]
) -> None:
    cold = leave_suites_cold(learner.home) if words else {}
    assert_saves_are_judged(learner, partial(watch, *words, **cold), SIGNED, RIGHT)


def test_a_save_is_judged_without_forks(learner: Learner, watch: Callable[..., Watch]) -> None:
    """Importing torch and every suite takes longer than this limit anywhere, and does not count."""
    learner.softmax(SIGNED)
    watcher = watch("--no-fork", "--timeout", "2")
    watcher.until("scores divided by their sum")

    learner.softmax(RIGHT)

    watcher.until(f"✓ ex01_softmax: {claims()} of {claims()} claims hold")


def test_a_long_path_of_temporary_files_does_no_harm(
    learner: Learner, watch: Callable[..., Watch]
) -> None:
    long = learner.home / ("x" * 80)
    long.mkdir()
    watcher = watch(TMPDIR=str(long), **leave_suites_cold(learner.home))

    learner.softmax(RIGHT)

    assert f"✓ ex01_softmax: {claims()} of {claims()} claims hold" in watcher.until(
        "✓ ex01_softmax"
    )


def test_without_watchfiles_it_looks_at_the_files(
    learner: Learner, watch: Callable[..., Watch]
) -> None:
    (learner.home / "watchfiles.py").write_text("raise ImportError")
    learner.softmax(SIGNED)
    watcher = watch(**leave_suites_cold(learner.home))

    learner.softmax(RIGHT)

    watcher.until("✓ ex01_softmax")


def test_the_board_is_there_before_torch_and_saves_are_kept(
    learner: Learner, watch: Callable[..., Watch]
) -> None:
    learner.take("ex02")
    learner.softmax(SIGNED)

    watcher = watch(**hold_torch_back(learner.home))
    shown = watcher.until("importing torch")
    learner.solve("ex02")
    (learner.home / GO).touch()

    assert "– ex01_softmax          ★  changed since it was last judged\n" in shown
    assert "· ex02_attention_scores ★  not started\n" in shown
    assert "next: ex01_softmax  mine/ex01_softmax.py:1" in shown
    assert f"✗ ex01_softmax: 0 of {claims()} claims hold" in watcher.until("  at ")
    watcher.until("✓ ex02_attention_scores")


@pytest.mark.parametrize(("how", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 0)])
def test_it_ends_without_left_overs(
    learner: Learner, watch: Callable[..., Watch], how: signal.Signals, status: int
) -> None:
    learner.softmax(RIGHT)
    watcher = watch(**leave_suites_cold(learner.home))
    learner.softmax(SIGNED)
    watcher.until("  at ")
    children = watcher.children()

    assert watcher.end(how) == status

    assert children
    until(lambda: not any(map(command, children)))
    assert list(watcher.temporary.glob(LEFT_OVERS)) == []


def test_forty_saves_leak_nothing(learner: Learner, watch: Callable[..., Watch]) -> None:
    learner.softmax(RIGHT)
    watcher = watch(**leave_suites_cold(learner.home))

    def save_twice(number: int) -> None:
        learner.write("ex01_softmax", f"# {number}\ndef (")
        watcher.until("cannot be judged yet")
        learner.softmax(f"# {number}\n{RIGHT}")
        watcher.until("✓ ex01_softmax")

    save_twice(0)
    before = watcher.used()
    for number in range(1, 20):
        save_twice(number)
    after = watcher.used()

    assert after.files <= before.files + 2
    assert after.kilobytes < before.kilobytes + 20_000
    assert len(list(watcher.temporary.glob(LEFT_OVERS))) <= 1
