"""Watching in a real terminal: keys, colours, a narrow screen."""

import os
import shutil
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from kata.course.curriculum import exercises
from tests.helpers.learner_folder import FOLDER, Learner
from tests.helpers.processes import command, until
from tests.helpers.sampling import sample
from tests.helpers.watching import GO, hold_torch_back, leave_suites_cold
from tests.kata.commands.test_commands import RIGHT, SIGNED

PATIENCE = 250  # seconds, for a busy machine
KEYS = "n next   h hint   a all   enter again   ? keys   q quit"
LONG = exercises()["ex09_multi_head_attention"]


class Terminal:
    """A screen, and a keyboard."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.tmux = [shutil.which("tmux") or "tmux", "-L", f"kata-{uuid.uuid4().hex[:8]}"]

    def start(self, width: int = 100, **settings: str) -> None:
        environment = " ".join(f"{name}={value}" for name, value in settings.items())
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

    def until(self, text: str, times: int = 1) -> str:
        end = time.monotonic() + PATIENCE
        while (shown := self.screen()).count(text) < times:
            assert time.monotonic() < end, shown
            time.sleep(0.1)
        return shown

    def until_all_end(self) -> None:
        """Wait for the Pythons that run in this folder, whoever has started them."""
        places = [*filter(self._is_home, Path("/proc").glob("[0-9]*/cwd"))]
        here = [int(place.parent.name) for place in places]
        programs = [process for process in here if sys.executable in command(process)]
        until(lambda: not any(map(command, programs)))

    def _is_home(self, folder: Path) -> bool:
        with suppress(OSError):
            return folder.samefile(self.home)
        return False

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
    assert "\x1b[" in terminal.screen("-e")  # colours

    terminal.press("n")
    assert "next: ex01_softmax" in terminal.until("  at ")  # the board, then the verdict
    terminal.press("h")
    terminal.until("hint 1 of")
    terminal.press("h")
    terminal.until("hint 2 of")
    terminal.press("Enter")
    until(lambda: "hint 2 of" not in terminal.screen())
    terminal.until("✗ ex01_softmax: ")
    terminal.press("a")
    terminal.until("ex02_attention_scores: not started")
    terminal.press("C-c", "C-c")

    assert_left_alone(terminal)


def test_a_verdict_stands_alone_and_moves_on_to_nothing_by_itself(
    learner: Learner, terminal: Terminal
) -> None:
    """What was before can be scrolled to."""
    learner.take("ex02")
    learner.softmax(SIGNED)
    terminal.start(**leave_suites_cold(learner.home))
    terminal.until("  at ")

    learner.softmax(RIGHT)
    terminal.until("✓ ex01_softmax")
    terminal.until(f"done: 1 of 7 core, 1 of {len(exercises())}")
    shown = terminal.until(KEYS)

    assert shown.lstrip().splitlines()[0].strip().endswith(" s)")  # the headline
    assert "✗ ex01_softmax" not in shown
    assert "next: ex02_attention_scores" in shown
    assert "ex02_attention_scores:" not in shown
    assert "✗ ex01_softmax: " in terminal.screen("-S", "-200")
    terminal.press("q")
    terminal.until("status 0")


def test_any_other_key_lists_the_keys_once(learner: Learner, terminal: Terminal) -> None:
    learner.softmax(SIGNED)
    terminal.start(width=60, **leave_suites_cold(learner.home))
    shown = terminal.until(KEYS, times=2)  # at first, and below the verdict

    assert max(map(len, shown.splitlines())) <= 60
    # Broken between words.
    assert "negative scores get negative weights, and scores" in " ".join(shown.split())
    for times, key in enumerate(("x", "Up", "ü"), start=3):
        terminal.press(key)
        terminal.until(KEYS, times)
    terminal.press("h")

    assert terminal.until("hint 1 of").count(KEYS) == times


@pytest.mark.parametrize("width", sample([60, 120]))
def test_no_line_of_a_verdict_is_broken_by_the_terminal(
    learner: Learner, terminal: Terminal, width: int
) -> None:
    """A long name, and the longest status: partly written, partly blocked."""
    right = LONG.solution.read_text(encoding="utf-8")
    learner.write(LONG.slug, right.replace("def forward(", "def forwards("))
    terminal.start(width, **leave_suites_cold(learner.home))
    terminal.until("  at ")
    learner.write(LONG.slug, "1 / 0")
    terminal.until("1 / 0")

    lines = terminal.screen("-J", "-S", "-200").splitlines()  # as they were written
    assert len([line for line in lines if f"✗ {LONG.slug}: " in line]) == 2
    assert max(map(len, lines)) <= width


@pytest.mark.parametrize(
    ("settings", "wrong", "right"),
    [({"NO_COLOR": "1"}, "✗", "✓"), ({"TERM": "dumb"}, "x", "+")],
    ids=["NO_COLOR", "a dumb terminal"],
)
def test_a_terminal_without_colours_gets_none_and_a_dumb_one_gets_a_log(
    learner: Learner, terminal: Terminal, settings: dict[str, str], wrong: str, right: str
) -> None:
    learner.softmax(SIGNED)
    terminal.start(**settings, **leave_suites_cold(learner.home))
    terminal.until(f"{wrong} ex01_softmax")
    terminal.until("  at ")

    learner.softmax(RIGHT)

    shown = terminal.until(f"{right} ex01_softmax")
    assert (f"{wrong} ex01_softmax" in shown) == (wrong == "x")
    assert "\x1b[" not in terminal.screen("-e")


def test_control_c_leaves_the_terminal_alone_while_torch_is_imported(
    learner: Learner, terminal: Terminal
) -> None:
    learner.softmax(SIGNED)
    terminal.start(**hold_torch_back(learner.home))
    terminal.until("importing torch")

    terminal.press("C-c", "C-c")

    assert_left_alone(terminal)


def assert_left_alone(terminal: Terminal) -> None:
    """Its last line is that of the shell, also when all that was begun has ended."""
    terminal.until("status 130")
    (terminal.home / GO).touch()
    terminal.until_all_end()
    shown = terminal.screen("-S", "-200")
    assert "Traceback" not in shown
    assert shown.rstrip().endswith("status 130")
