"""A learner's folder, with the real pytest and the commands of `kata` on it."""

import os
import re
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from kata.__main__ import main
from kata.course.curriculum import exercises
from kata.learner.progress import Progress, learner_target
from kata.verdict import ClaimVerdict, ExerciseVerdict, Message, State
from tests.helpers import warm
from tests.helpers.command import called
from tests.helpers.warm import is_about_starting

FOLDER = "mine"
LEAN = {"PYTEST_ADDOPTS": "-p no:anyio"}  # somebody else's plugin, which imports much
PATIENCE = 250  # seconds, for a busy machine; less than pytest-timeout's


@dataclass(frozen=True)
class Run:
    """The exit status and the output of a run."""

    status: int
    out: str
    err: str

    @property
    def board(self) -> str:
        """The part below the failures."""
        return self.out[self.out.rfind("attention kata") :]

    @property
    def failures(self) -> str:
        """The part above the board."""
        return self.out[self.out.find("= FAILURES =") : self.out.rfind("attention kata")]

    @property
    def letters(self) -> str:
        """The state of every claim, as pytest prints it: `..Fb-`."""
        return "".join(re.findall(r"^\S+\.py (\S+) +\[ *\d+%\]$", self.out, re.MULTILINE))

    def about(self, name: str) -> "Run":
        """What a run over many folders says of this one: its letters, failures and board."""
        place = f"{FOLDER}/{name}/"
        above, *boards = re.split(r"\n(?==+ attention kata: )", self.out)
        _, *failures = re.split(r"\n(?=_{3,} .+ _{3,}\n)", above)
        lines = self.out.splitlines()
        states = [line for line in lines if line.startswith(place)]
        failed = [f" {place}" in line for line in lines if line.startswith("FAILED ")]
        mine = [text for text, is_mine in zip(failures, failed, strict=True) if is_mine]
        mine += [board for board in boards if f" {place[:-1]} =" in board.splitlines()[0]]
        return Run(self.status, "\n".join((*states, "= FAILURES =", *mine)), self.err)

    def count(self, what: str) -> int:
        """The number before this word in pytest's last line."""
        found = re.search(rf"(\d+) {what}", self.out.rstrip().splitlines()[-1])
        return int(found[1]) if found else 0


Kata = Callable[..., Run]  # the fixture: `kata COMMAND …` on a folder


class Learner:
    """A person with a folder of exercises."""

    def __init__(self, home: Path, name: str = FOLDER) -> None:
        self.home = home
        self.folder = home / name
        self.folder.mkdir(parents=True, exist_ok=name != FOLDER)

    def below(self, name: str) -> "Learner":
        """Another folder of exercises, in this one: a run is over all of them."""
        return Learner(self.folder, name)

    def take(self, *shorts: str) -> None:
        """Copy stubs, as learners get them."""
        for slug, exercise in exercises().items():
            if exercise.short in shorts:
                self.write(slug, exercise.stub.read_text(encoding="utf-8"))

    def solve(self, *shorts: str) -> None:
        """Copy solutions, as the learner's own work."""
        for slug, exercise in exercises().items():
            if exercise.short in shorts:
                self.write(slug, exercise.solution.read_text(encoding="utf-8"))

    def write(self, slug: str, text: str | bytes) -> Path:
        """Save one file."""
        path = self.folder / f"{slug}.py"
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return path

    def softmax(self, body: str, top: str = "import numpy as np") -> Path:
        """Save ex01 with this body of its function."""
        lines = "\n".join(f"    {line}" for line in body.splitlines())
        return self.write("ex01_softmax", f"{top}\n\n\ndef softmax(scores, axis=-1):\n{lines}\n")

    def note(self, states: Mapping[str, State]) -> None:
        """Let the folder remember verdicts on files as they are now, without judging them."""
        progress = Progress(self.folder)
        files = learner_target(self.folder, progress)
        for slug, state in states.items():
            claim = ClaimVerdict("test_a", state, Message(""))
            progress.note(ExerciseVerdict(slug, (claim,)), files.digest(slug))
        progress.save()

    def run(
        self,
        *arguments: str,
        cwd: Path | None = None,
        keys: str = "",
        anew: bool = False,
        **environment: str,
    ) -> Run:
        """Run pytest as a learner does, who then types these keys."""
        words, settings = arguments or (FOLDER,), {"COLUMNS": "200", **environment}
        return run_python("pytest", words, cwd or self.home, keys=keys, anew=anew, **settings)


def run_python(
    module: str,
    arguments: Sequence[str],
    folder: Path,
    *,
    keys: str = "",
    anew: bool = False,
    **settings: str,
) -> Run:
    """What `python -m module arguments` does; in a Python that starts `anew` if a test is about it.

    Otherwise `kata` is called in this process, and other modules run in forks.
    """
    inherited = {k: v for k, v in os.environ.items() if not k.startswith(("PYTEST", "COV"))}
    environment = {**inherited, "PYTHONIOENCODING": "utf-8", **settings}
    if not anew and not is_about_starting(settings):
        program = warm.Program(module, arguments, folder, environment, keys)
        ended = (
            called(main, arguments, folder, environment, keys)
            if module == "kata"
            else warm.run(program, PATIENCE)
        )
        return Run(ended.status, ended.out, ended.err)
    done = subprocess.run([sys.executable, "-m", module, *arguments], cwd=folder,
                          env={**environment, **LEAN}, capture_output=True, encoding="utf-8",
                          input=keys, timeout=PATIENCE, check=False)  # fmt: skip
    return Run(done.returncode, done.stdout, done.stderr)
