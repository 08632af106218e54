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

from kata.course.curriculum import exercises
from tests.helpers.learner_folder import FOLDER, Learner
from tests.helpers.watching import GO, hold_torch_back
from tests.kata.commands.test_commands import RIGHT, SIGNED

PATIENCE = 60  # seconds
KEYS = "n next   h hint   a all   enter again   ? keys   q quit"
LONG = exercises()["ex09_multi_head_attention"]


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
        utf8.pop("COLUMNS", None)  # of the terminal that the tests run in
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

    def without(self, text: str) -> str:
        """The screen once this is not on it any more."""
        end = time.monotonic() + PATIENCE
        while text in (shown := self.screen()):
            assert time.monotonic() < end, shown
            time.sleep(0.05)
        return shown

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
    assert KEYS in terminal.until("✗ ex01_softmax: ")

    terminal.press("n")
    assert "next: ex01_softmax" in terminal.until("  at ")  # the board, then the verdict
    terminal.press("h")
    terminal.until("hint 1 of")
    terminal.press("h")
    terminal.until("hint 2 of")
    terminal.press("Enter")
    terminal.without("hint 2 of")
    terminal.until("✗ ex01_softmax: ")
    terminal.press("a")
    terminal.until("ex02_attention_scores: not started")
    terminal.press("q")

    terminal.until("status 0")


def test_it_does_not_move_on_by_itself(learner: Learner, terminal: Terminal) -> None:
    learner.take("ex02")
    learner.softmax(SIGNED)
    terminal.start()

    learner.softmax(RIGHT)
    shown = terminal.until("✓ ex01_softmax")

    assert "next: ex02_attention_scores" in terminal.until(
        f"done: 1 of 7 core, 1 of {len(exercises())}"
    )
    assert "ex02_attention_scores:" not in shown


@pytest.mark.parametrize("key", ["x", "Up", "ü"])
def test_any_other_key_lists_the_keys_once(learner: Learner, terminal: Terminal, key: str) -> None:
    learner.softmax(SIGNED)
    terminal.start(width=60)
    terminal.until(KEYS, times=2)  # at first, and below the verdict

    terminal.press(key)
    terminal.until(KEYS, times=3)
    terminal.press("h")

    assert terminal.until("hint 1 of").count(KEYS) == 3


def test_a_verdict_stands_alone_and_what_was_before_can_be_scrolled_to(
    learner: Learner, terminal: Terminal
) -> None:
    learner.take("ex02")
    learner.softmax(SIGNED)
    terminal.start()
    terminal.until("  at ")

    learner.softmax(RIGHT)
    terminal.until("✓ ex01_softmax")
    shown = terminal.until(KEYS)

    assert shown.lstrip().splitlines()[0].strip().endswith(" s)")  # the headline
    assert "✗ ex01_softmax" not in shown
    assert "next: ex02_attention_scores" in shown
    assert "✗ ex01_softmax: " in terminal.screen("-S", "-200")


def test_a_dumb_terminal_gets_a_log(learner: Learner, terminal: Terminal) -> None:
    learner.softmax(SIGNED)
    terminal.start(environment="TERM=dumb")
    terminal.until("  at ")

    learner.softmax(RIGHT)

    assert "x ex01_softmax" in terminal.until("+ ex01_softmax")


@pytest.mark.parametrize("width", [60, 120])
def test_no_line_of_a_verdict_is_broken_by_the_terminal(
    learner: Learner, terminal: Terminal, width: int
) -> None:
    """A long name, and the longest status: partly written, partly blocked."""
    right = LONG.solution.read_text(encoding="utf-8")
    learner.write(LONG.slug, right.replace("def forward(", "def forwards("))
    terminal.start(width)
    terminal.until("  at ")
    learner.write(LONG.slug, "1 / 0")
    terminal.until("1 / 0")

    lines = terminal.screen("-J", "-S", "-200").splitlines()  # as they were written
    assert len([line for line in lines if f"✗ {LONG.slug}: " in line]) == 2
    assert max(map(len, lines)) <= width


@pytest.mark.parametrize("torch", ["held back", "imported"])
def test_control_c_leaves_the_terminal_as_it_was(
    learner: Learner, terminal: Terminal, torch: str
) -> None:
    learner.softmax(SIGNED)
    held = hold_torch_back(learner.home) if torch == "held back" else {}
    terminal.start(environment=" ".join(f"{name}={value}" for name, value in held.items()))
    terminal.until("importing torch" if held else "  at ")

    terminal.press("C-c", "C-c")

    shown = terminal.until("status 130")
    (learner.home / GO).touch()
    time.sleep(1)  # for whatever would still be said
    assert "Traceback" not in terminal.screen()
    assert "status 130" in shown


def test_a_narrow_screen_breaks_between_words(learner: Learner, terminal: Terminal) -> None:
    learner.softmax(RIGHT)
    terminal.start(width=60)

    learner.softmax(SIGNED)
    shown = terminal.until("  at ")

    assert max(map(len, shown.splitlines())) <= 60
    assert "negative scores get negative weights, and scores" in " ".join(shown.split())


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
