"""`kata watch`, in the test's own process or in another, for tests."""

import os
import queue
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import redirect_stdout, suppress
from dataclasses import dataclass
from io import StringIO
from pathlib import Path

from kata.course.curriculum import ROOT, exercises
from kata.judging.limits import TIME_LIMIT
from kata.learner.events import changes
from kata.learner.waiting_judge import WaitingJudges
from kata.learner.watcher import Watcher
from kata.terminal.style import Style
from tests.helpers.answers import claims
from tests.helpers.learner_folder import FOLDER, Learner
from tests.helpers.processes import descendants, until

PATIENCE = 250  # seconds, for a busy machine; less than pytest-timeout's
NEXT_EVENT = 60  # seconds, for a busy machine whose judges have to start first
GO = "go"  # a file that lets an import of torch begin
LATE_TORCH = f"""
import sys
import time
from pathlib import Path

home = Path(__file__).parent
while not (home / "{GO}").exists():
    time.sleep(0.01)
sys.path[:] = [each for each in sys.path if Path(each).resolve() != home]
del sys.modules["torch"]
import torch
if preload := sys.modules.get("kata.learner.preload"):
    preload.judge = lambda *_: None  # no other suite runs ahead of time
"""
COLD = """
import sys
from types import ModuleType

sys.modules["kata.learner.preload"] = ModuleType("kata.learner.preload")
"""


def hold_torch_back(home: Path) -> dict[str, str]:
    """The environment in which torch cannot be imported before there is a file called GO."""
    (home / "torch.py").write_text(LATE_TORCH)
    return {"PYTHONPATH": f"{home}{os.pathsep}{ROOT}"}


def leave_suites_cold(home: Path) -> dict[str, str]:
    """The environment in which no suite runs ahead of time, which would compute for ten seconds."""
    (home / "sitecustomize.py").write_text(COLD)
    return {"PYTHONPATH": f"{home}{os.pathsep}{ROOT}"}


class LocalWatch:
    """A watcher whose events are handled while the test waits for a text; its judges are lent.

    The fixture `watch` of tests/kata lends them.
    """

    def __init__(self, learner: Learner, *, limit: float = TIME_LIMIT, keyed: bool = False) -> None:
        self.judges = WaitingJudges(learner.folder, forks=True, limit=limit)
        self.watcher = Watcher(learner.folder, exercises(), Style(width=100), self.judges)
        self._ticks: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._out, self._read = StringIO(), 0
        saves = changes(learner.folder, ticks=iter(self._ticks.get, None))
        with redirect_stdout(self._out):
            self.watcher.begin(keyed=keyed)
        self.watcher.listen(saves, self.watcher.saved, self.watcher.gone)
        self.watcher.warm_up()

    def press(self, key: str) -> None:
        """Type one key."""
        with redirect_stdout(self._out):
            self.watcher.pressed(key)

    def look(self) -> None:
        """Let it look at the folder."""
        self._ticks.put("now")

    def until(self, text: str) -> str:
        """Notice what was saved; the output up to the end of the first line with this text."""
        self.look()
        with redirect_stdout(self._out):
            while text not in (shown := self._out.getvalue()[self._read :]):
                self.watcher.handle_one(NEXT_EVENT)
        seen = shown[: shown.index("\n", shown.index(text)) + 1]
        self._read += len(seen)
        return seen

    def handle_until(self, holds: Callable[[], object]) -> None:
        """Notice what was saved, and handle events until this holds."""
        self.look()
        end = time.monotonic() + NEXT_EVENT
        with redirect_stdout(self._out):
            while not holds():
                assert time.monotonic() < end
                with suppress(queue.Empty):
                    self.watcher.handle_one(0.01)

    def end(self) -> None:
        """Kill the judges, and let the thread end that looks at the folder."""
        self.watcher.end()
        self._ticks.put(None)


@dataclass(frozen=True)
class Used:
    """The resources that a watcher uses."""

    files: int
    kilobytes: int


class Watch:
    """A running watcher, whose output can be waited for."""

    def __init__(self, learner: Learner, *words: str, **environment: str) -> None:
        self.temporary = Path(tempfile.mkdtemp(prefix="w-"))  # short, for the server's socket
        self.process = subprocess.Popen(
            [sys.executable, "-u", "-m", "kata", "watch", "--folder", FOLDER, *words],
            cwd=learner.home,
            env={
                **os.environ,
                "PYTHONPATH": str(ROOT),
                "PYTHONIOENCODING": "utf-8",
                "TMPDIR": str(self.temporary),
                "COLUMNS": "100",
                **environment,
            },
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
        )
        self.lines: queue.SimpleQueue[str] = queue.SimpleQueue()
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()
        self.until("watching")

    def _read(self) -> None:
        assert self.process.stdout
        for line in self.process.stdout:
            self.lines.put(line)

    def until(self, text: str) -> str:
        """The output up to the first line with this text."""
        seen = ""
        while text not in seen:
            seen += self.lines.get(timeout=PATIENCE)
        return seen

    def end(self, how: signal.Signals = signal.SIGTERM) -> int:
        """Send a signal; returns the exit status."""
        self.process.send_signal(how)
        return self.process.wait(PATIENCE)

    def stop(self) -> None:
        """Kill it, and clean up."""
        self.process.kill()
        self.process.wait()
        self.reader.join()
        assert self.process.stdout
        self.process.stdout.close()
        shutil.rmtree(self.temporary, ignore_errors=True)

    def used(self) -> Used:
        """What it uses, once there are a fork server, a resource tracker and a waiting judge."""
        until(lambda: len(self.children()) == 3)
        home = Path(f"/proc/{self.process.pid}")
        line = next(s for s in (home / "status").read_text().splitlines() if "VmRSS" in s)
        return Used(len(list((home / "fd").iterdir())), int(line.split()[1]))

    def children(self) -> set[int]:
        """All processes that it has started, directly or not."""
        return {*descendants(self.process.pid)}


def assert_saves_are_judged(
    learner: Learner, watch: Callable[[], LocalWatch | Watch], wrong: str, right: str
) -> None:
    """Save ex01 with two bodies, and read what a watcher says of each."""
    learner.take("ex02")
    learner.softmax("return scores")
    watcher = watch()
    watcher.until("  at ")  # it has judged what was there

    learner.softmax(wrong)
    shown = watcher.until("  at ")
    learner.softmax(right)

    assert "✗ ex01_softmax: " in shown
    assert "scores divided by their sum" in shown
    assert f"{FOLDER}/ex01_softmax.py:4" in shown
    assert f"✓ ex01_softmax: {claims()} of {claims()} claims hold" in watcher.until(
        "✓ ex01_softmax"
    )
    counts, following = watcher.until("next:").splitlines()
    assert counts == f"done: 1 of 7 core, 1 of {len(exercises())}"
    assert following.startswith("next: ex02_attention_scores  mine/ex02_attention_scores.py:")
