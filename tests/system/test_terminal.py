"""What a learner sees in a real terminal: tmux shows it, and hands over the screen."""

import os
import re
import shutil
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from kata.course.curriculum import exercises
from tests.helpers.learner_folder import FOLDER, Learner
from tests.helpers.sampling import sample

WRONG = "return np.exp(scores) / np.exp(scores).sum()"
THE_END = "the-end-of-the-run"
Screen = Callable[..., str]


@pytest.fixture
def screen(tmp_path: Path) -> Iterator[Screen]:
    """Run pytest in a terminal of a given size; returns what is on the screen at the end."""
    session = f"kata-{uuid.uuid4().hex[:8]}"
    tmux = [shutil.which("tmux") or "tmux", "-L", session]

    def run(width: int, height: int, environment: str = "") -> str:
        pytest_ = f"env {environment} {sys.executable} -m pytest {FOLDER}"
        command = f"cd {tmp_path} && {pytest_}; echo {THE_END}; sleep 60"
        size = ["-x", str(width), "-y", str(height)]
        utf8 = {**os.environ, "LC_ALL": "C.UTF-8"}
        subprocess.run([*tmux, "-u", "new-session", "-d", *size, command], check=True, env=utf8)
        shown = ""
        while THE_END not in shown:
            time.sleep(0.1)
            shown = subprocess.check_output([*tmux, "capture-pane", "-p"], encoding="utf-8")
        return shown

    yield run
    subprocess.run([*tmux, "kill-server"], check=False, capture_output=True)


def test_the_board_in_a_wide_terminal(tmp_path: Path, screen: Screen) -> None:
    learner = Learner(tmp_path)
    learner.take(*(each.short for each in exercises().values()))
    learner.softmax(WRONG)

    shown = screen(100, 90)

    assert "✗ ex01_softmax" in shown
    assert "· ex14_encoder_layer" in shown
    assert "next: ex01_softmax" in shown
    assert re.search(r"^ +0 +\S+ .* \[\S+\]", shown, re.MULTILINE)  # the first row of the map


def test_the_board_in_a_narrow_terminal_breaks_no_line(tmp_path: Path, screen: Screen) -> None:
    learner = Learner(tmp_path)
    learner.take(*(each.short for each in exercises().values()))

    shown = screen(60, 60)

    rows = [line for line in shown.splitlines() if line.startswith("  · ex")]
    assert len(rows) == len(exercises())
    assert all(line.endswith("not started") for line in rows)


def test_the_board_in_a_dumb_terminal(tmp_path: Path, screen: Screen) -> None:
    Learner(tmp_path).softmax(WRONG)

    shown = screen(100, 90, "TERM=dumb")

    assert "x ex01_softmax" in shown
    assert re.search(r"\[[:+*#]\]", shown)


@pytest.mark.parametrize("width", sample([60, 120]))
def test_the_core_is_worth_a_sentence(tmp_path: Path, screen: Screen, width: int) -> None:
    learner = Learner(tmp_path)
    learner.take(*(each.short for each in exercises().values()))
    learner.solve(*(each.short for each in exercises().values() if each.core))
    shown = " ".join(screen(width, 90).split())
    count = len(exercises())
    assert f"Well done: 7 of 7 core, 7 of {count}! Everything from softmax to the encoder" in shown
    assert "next: ex03_self_attention" in shown
