"""Watching, with events that the test handles; tests/system/test_watch.py starts the program."""

import multiprocessing
import os
import re
import signal
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from kata.commands import watch as command
from kata.course.curriculum import exercises
from kata.learner import events
from kata.learner.events import changes
from kata.learner.progress import Progress
from kata.learner.waiting_judge import LONGEST_FOLDER, WaitingJudges, can_fork
from tests.helpers.answers import claims
from tests.helpers.learner_folder import FOLDER, Learner, run_python
from tests.helpers.processes import until
from tests.helpers.watching import LocalWatch, assert_saves_are_judged
from tests.kata.commands.test_commands import EX01, RIGHT, SIGNED

BEGIN = Callable[..., LocalWatch]


def test_a_save_is_judged(learner: Learner, watch: BEGIN) -> None:
    assert_saves_are_judged(learner, watch, SIGNED, RIGHT)


@pytest.mark.parametrize("way", ["watchfiles", "polling", "without watchfiles"])
def test_a_save_is_noticed(learner: Learner, monkeypatch: pytest.MonkeyPatch, way: str) -> None:
    """At the latest when it is time to doubt that there was none."""
    monkeypatch.setattr(events, "DOUBT", 10)
    monkeypatch.setattr(events, "PAUSE", 0)
    if way == "without watchfiles":
        monkeypatch.setitem(sys.modules, "watchfiles", None)
    learner.softmax(RIGHT)
    saved = changes(learner.folder, poll=way == "polling")

    learner.write("notes", "x = 1")
    learner.softmax(SIGNED)
    assert next(saved) == [EX01.slug]
    learner.take("ex02", "ex05")
    assert next(saved) == ["ex02_attention_scores", "ex05_causal_masks"]
    learner.folder.rename(learner.home / "elsewhere")
    assert list(saved) == []


def test_broken_files_are_told_and_the_next_save_counts(learner: Learner, watch: BEGIN) -> None:
    learner.softmax(RIGHT)
    watcher = watch(limit=1 / 3)
    broken = {
        "cannot be judged yet": "def (",
        "raises when it is imported": "1 / 0",
        # On a busy machine it waits for as long without having computed.
        "is there a loop that does not end?": "while True:\n    pass",
        "stopped after 2 seconds: is there a loop": "import time\ntime.sleep(3600)",
        "not started": EX01.stub.read_text(encoding="utf-8"),
    }

    for text, content in broken.items():
        learner.write("ex01_softmax", content)
        watcher.until(text)
    learner.softmax("import os\nos._exit(3)")
    watcher.until("exited with status 3")
    learner.softmax(RIGHT)

    watcher.until("✓ ex01_softmax")


def test_a_save_stops_the_run_of_an_older_one(learner: Learner, watch: BEGIN) -> None:
    learner.softmax(RIGHT)
    watcher = watch(limit=500)
    watcher.until("✓ ex01_softmax")
    learner.write("ex01_softmax", "open('begun', 'w').close()\nwhile True:\n    pass")
    watcher.handle_until((learner.home / "begun").exists)

    learner.softmax(RIGHT)

    watcher.until("✓ ex01_softmax")


def test_what_the_failing_call_prints_is_shown(learner: Learner, watch: BEGIN) -> None:
    """Not what earlier ones printed; of many lines, the last ones; wherever the call stands."""
    learner.softmax(f"print('given', scores.ndim)\nassert scores.ndim < 4\n{RIGHT}")
    watcher = watch()

    watcher.until("printed by this call:")
    learner.softmax(f"for n in range(100):\n    print('made', n)\n{SIGNED}")
    shown = watcher.until("made 99")

    assert shown.splitlines()[0] == "given 4"
    assert re.findall(r"made (\d+)", shown) == [str(n) for n in range(90, 100)]
    assert "printed by this call, at its end:" in shown

    stub = exercises()["ex02_attention_scores"].stub.read_text(encoding="utf-8")
    unwritten = 'raise NotImplementedError("ex02 attention_weights: not written yet")'
    line = stub[: stub.index(unwritten)].count("\n") + 1
    learner.write("ex02_attention_scores", stub.replace(unwritten, "print('two'); return nonsense"))
    shown = watcher.until("printed by this call:\ntwo")

    assert "NameError: name 'nonsense' is not defined" in shown
    assert f"at mine/ex02_attention_scores.py:{line}" in shown  # others above are not written


def test_the_board_is_there_before_torch_and_saves_are_kept(
    learner: Learner, watch: BEGIN, monkeypatch: pytest.MonkeyPatch
) -> None:
    imported, fill = threading.Event(), WaitingJudges.fill
    monkeypatch.setattr(WaitingJudges, "fill", lambda self: imported.wait() and fill(self))
    learner.take("ex02")
    learner.softmax(SIGNED)

    watcher = watch()
    shown = watcher.until("importing torch")
    learner.solve("ex02")
    watcher.look()
    watcher.watcher.handle_one()
    imported.set()

    assert "– ex01_softmax          ★  changed since it was last judged\n" in shown
    assert "· ex02_attention_scores ★  not started\n" in shown
    assert "next: ex01_softmax  mine/ex01_softmax.py:1" in shown
    assert f"✗ ex01_softmax: 0 of {claims()} claims hold" in watcher.until("  at ")
    watcher.until("✓ ex02_attention_scores")


def test_two_watchers_on_one_folder(learner: Learner, watch: BEGIN) -> None:
    learner.softmax(RIGHT)
    watchers = watch(), watch()

    for text, body in (("✗ ex01_softmax", SIGNED), ("✓ ex01_softmax", RIGHT)):
        learner.softmax(body)
        for watcher in watchers:
            watcher.until(text)


def test_other_files_are_nobodys_business(learner: Learner, watch: BEGIN) -> None:
    learner.softmax(RIGHT)
    watcher = watch()
    watcher.look()

    learner.write("notes", "x = 1")
    learner.softmax(SIGNED)

    assert "notes" not in watcher.until("✗ ex01_softmax")


def test_a_folder_that_vanishes_ends_it(learner: Learner, watch: BEGIN) -> None:
    learner.take("ex01")
    watcher = watch()

    learner.folder.rename(learner.home / "elsewhere")

    watcher.until("mine is gone")
    assert watcher.watcher.status == 1


KEYS = "n next   h hint   a all   enter again   ? keys   q quit"


def test_every_key_does_what_the_line_says(learner: Learner, watch: BEGIN) -> None:
    learner.take("ex02")
    learner.softmax(SIGNED)
    watcher = watch(keyed=True)
    assert KEYS in watcher.until("✗ ex01_softmax: ")

    watcher.press("h")  # while it is judged: then it is told below the verdict
    assert watcher.until("hint 1 of").index("  at ") > 0
    watcher.until(KEYS)
    watcher.press("h")
    watcher.until("hint 2 of")
    watcher.press("n")
    assert "next: ex01_softmax" in watcher.until("✗ ex01_softmax: ")  # the board, then the verdict
    watcher.until(KEYS)
    watcher.press("\n")
    assert "board" not in watcher.until("✗ ex01_softmax: ")
    watcher.until(KEYS)
    watcher.press("a")
    watcher.until("ex02_attention_scores: not started")
    watcher.until(KEYS)
    watcher.press("x")
    watcher.until(KEYS)
    watcher.press("s")
    watcher.until("this folder has not joined a room")
    assert watcher.watcher.status is None
    watcher.press("q")
    assert watcher.watcher.status == 0


@pytest.mark.parametrize(
    ("how", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 0)], ids=["ctrl-c", "end"]
)
def test_the_command_judges_until_a_signal_and_leaves_nothing(
    learner: Learner, monkeypatch: pytest.MonkeyPatch, how: signal.Signals, status: int
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(learner.home))
    learner.softmax(RIGHT)

    def one_save(folder: Path, *, poll: bool) -> Iterator[list[str]]:
        assert poll
        yield [EX01.slug]
        until(Progress(folder).path.exists)
        os.kill(os.getpid(), how)
        threading.Event().wait()

    monkeypatch.setattr(command, "changes", one_save)
    others = multiprocessing.active_children()
    run = run_python("kata", ["watch", "--folder", FOLDER, "--poll"], learner.home)

    assert (run.status, run.err) == (status, "")
    assert f"✓ ex01_softmax: {claims()} of {claims()} claims hold" in run.out
    assert [each for each in multiprocessing.active_children() if each not in others] == []
    assert list(learner.home.glob("kata-*")) == []


@pytest.mark.usefixtures("watch")
def test_two_judges_wait_where_each_takes_a_second_to_start(learner: Learner) -> None:
    for forks, count in ((True, 1), (False, 2)):
        before = {*multiprocessing.active_children()}
        judges = WaitingJudges(learner.folder, forks=forks)
        judges.fill()
        waiting = {*multiprocessing.active_children()} - before
        judges.end()
        assert (forks, len(waiting)) == (forks, count)
        assert not any(process.is_alive() for process in waiting)


def test_nothing_is_forked_where_a_path_would_be_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    assert can_fork("/tmp" + "x" * (LONGEST_FOLDER - 4))
    assert not can_fork("/tmp" + "x" * (LONGEST_FOLDER - 3))
    monkeypatch.setattr(sys, "platform", "darwin")
    assert not can_fork("/tmp")
