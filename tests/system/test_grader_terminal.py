"""The grader in a real terminal: a bar while it works, and nothing but the table in the end."""

import os
import shutil
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from kata.course.curriculum import ROOT
from tests.helpers.sampling import release
from tests.kata.grading.test_grader import classroom

GRADER = f"{sys.executable} {ROOT / 'grader.py'}"
OPTIONS = "--only ex01 --only ex02 --workers 1"
THE_END = "the-end-of-the-run"
ROWS = 90
Screens = Callable[..., list[str]]

pytestmark = pytest.mark.timeout(200)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where a class is."""
    folder = tmp_path_factory.mktemp("course")
    classroom(folder / "class", pause=0.7)
    return folder


@pytest.fixture
def screens(home: Path) -> Iterator[Screens]:
    """Grade the class in a terminal of a given width; returns what was on the screen, in order."""
    session = f"kata-{uuid.uuid4().hex[:8]}"
    tmux = [shutil.which("tmux") or "tmux", "-L", session]
    # A worker of pytest-xdist has a size of its own, which is not that of this terminal.
    kept = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES")}
    settings = {**kept, "LC_ALL": "C.UTF-8"}

    def run(width: int, words: str = "", keys: str = "", after: str = "█") -> list[str]:
        command = f"cd {home} && {GRADER} class {OPTIONS} {words}; echo {THE_END}; sleep 60"
        size = ["-x", str(width), "-y", str(ROWS)]
        subprocess.run([*tmux, "-u", "new-session", "-d", *size, command], check=True, env=settings)
        seen = [""]
        while THE_END not in seen[-1]:
            time.sleep(0.05)
            shown = subprocess.check_output([*tmux, "capture-pane", "-p"], encoding="utf-8")
            if keys and after in shown:
                subprocess.run([*tmux, "send-keys", keys], check=True)
                keys = ""
            if shown != seen[-1]:
                seen.append(shown)
        return seen

    yield run
    subprocess.run([*tmux, "kill-server"], check=False, capture_output=True)


def test_the_bar_comes_and_goes(screens: Screens) -> None:
    *during, last = screens(100, "--grades first")

    assert any("of 14 done; now " in each for each in during)
    assert "of 14 done" not in last
    form, *lines = last.splitlines()
    assert form.startswith("class: 14 students, with the names that Canvas gives")
    assert lines[0].split() == ["student", "score", "exercises"]
    ends = ("✓✓", "✗✗", "✗✓", "✗·", "✗?", "✓·", "··")
    assert sum(line.rstrip().endswith(ends) for line in lines) == 11
    assert "the grades are in first/grades.csv" in lines


@release
def test_ctrl_c_leaves_one_line_and_the_same_command_goes_on(screens: Screens, home: Path) -> None:
    *_, last = screens(60, "--grades second", keys="C-c", after="now ")

    said = "interrupted; what was graded is in second, and the same command resumes from there"
    lines = (line.removeprefix("^C") for line in last.splitlines())
    assert "".join(lines).replace(" ", "") == f"{said}{THE_END}".replace(" ", "")
    assert (home / "second" / "grades.csv").exists()


def test_a_narrow_terminal(screens: Screens) -> None:
    """Of what has been graded before."""
    *_, last = screens(60, "--grades first")

    rows = [line for line in last.splitlines() if " / " in line]
    assert len(rows) == 11
    assert len({line.rindex(" / ") for line in rows if line.isascii() or "✓" in line}) == 1
    assert all(len(line) <= 60 for line in last.splitlines())
