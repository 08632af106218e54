"""Watching in a real terminal: keys, colours, a narrow screen."""

import os
import shutil
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.kata.commands.test_commands import RIGHT, SIGNED
from tests.kata.learner_folder import FOLDER, Learner

PATIENCE = 60  # seconds


class Terminal:
    """A screen, and a keyboard."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.tmux = [shutil.which("tmux") or "tmux", "-L", f"kata-{uuid.uuid4().hex[:8]}"]

    def start(self, width: int = 100, environment: str = "") -> None:
        watch = f"env {environment} {sys.executable} -m kata watch --folder {FOLDER}"
        command = f"cd {self.home} && {watch}; echo status $?; sleep 60"
        size = ["-x", str(width), "-y", "60"]
        utf8 = {**os.environ, "LC_ALL": "C.UTF-8"}
        subprocess.run(
            [*self.tmux, "-u", "new-session", "-d", *size, command], check=True, env=utf8
        )
        self.until("save a file")

    def press(self, *keys: str) -> None:
        subprocess.run([*self.tmux, "send-keys", *keys], check=True)

    def screen(self, *options: str) -> str:
        return subprocess.check_output(
            [*self.tmux, "capture-pane", "-p", *options], encoding="utf-8"
        )

    def until(self, text: str, times: int = 1) -> str:
        end = time.monotonic() + PATIENCE
        while (shown := self.screen()).count(text) < times:
            assert time.monotonic() < end, shown
            time.sleep(0.05)
        return shown

    def end(self) -> None:
        subprocess.run([*self.tmux, "kill-server"], check=False, capture_output=True)


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Terminal]:
    found = Terminal(tmp_path)
    yield found
    found.end()


@pytest.fixture
def learner(tmp_path: Path) -> Learner:
    return Learner(tmp_path)


def test_every_key_does_what_the_line_says(learner: Learner, terminal: Terminal) -> None:
    learner.take("ex02")
    learner.softmax(SIGNED)
    terminal.start()
    assert "n next   h hint   a all   enter again   q quit" in terminal.screen()

    terminal.press("n")
    terminal.until("✗ ex01_softmax: ")
    terminal.press("h")
    terminal.until("hint 1 of")
    terminal.press("h")
    terminal.until("hint 2 of")
    terminal.press("Enter")
    terminal.until("✗ ex01_softmax: ", times=2)
    terminal.press("a")
    terminal.until("ex02_attention_scores: not started")
    terminal.press("x")
    terminal.press("q")

    terminal.until("status 0")


def test_it_does_not_move_on_by_itself(learner: Learner, terminal: Terminal) -> None:
    learner.take("ex02")
    learner.softmax(SIGNED)
    terminal.start()

    learner.softmax(RIGHT)
    shown = terminal.until("✓ ex01_softmax")

    assert "ex02" not in shown


def test_control_c_leaves_the_terminal_as_it_was(learner: Learner, terminal: Terminal) -> None:
    learner.softmax(SIGNED)
    terminal.start()

    terminal.press("C-c")

    shown = terminal.until("status 130")
    assert "Traceback" not in shown


def test_a_narrow_screen_breaks_between_words(learner: Learner, terminal: Terminal) -> None:
    learner.softmax(RIGHT)
    terminal.start(width=60)

    learner.softmax(SIGNED)
    shown = terminal.until("  at ")

    assert "Scores may be negative; weights never are, because exp makes\n" in shown


@pytest.mark.parametrize(
    ("environment", "mark", "coloured"),
    [("", "✗", True), ("NO_COLOR=1", "✗", False), ("TERM=dumb", "x", False)],
)
def test_colours_and_signs(
    learner: Learner,
    terminal: Terminal,
    environment: str,
    mark: str,
    coloured: bool,  # a parameter of the test
) -> None:
    learner.softmax(RIGHT)
    terminal.start(environment=environment)

    learner.softmax(SIGNED)
    terminal.until(f"{mark} ex01_softmax")

    assert ("\x1b[" in terminal.screen("-e")) == coloured
