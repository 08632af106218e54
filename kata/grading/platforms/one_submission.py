"""One student's work, graded where a platform has put it, by the grader in a process of its own."""

import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from kata.course.curriculum import ROOT
from kata.grading.collecting.folders import DEEPEST
from kata.grading.sandbox import sandbox
from kata.words import say

STUDENT = "submission"  # how this student is called in the reports
GRADED = (0, 1)  # statuses after which there are reports
PATIENCE = 3600  # seconds; long before, the grader itself ends a submission


class SingleError(Exception):
    """There is no report; the text, for the instructor, says why."""


@dataclass(frozen=True)
class Outcome:
    """What the grader has left, for as long as it is looked at."""

    grades: Path
    told: tuple[str, ...]  # what the instructor should know

    def report(self, name: str, suffix: str) -> str:
        """The report of this name about the student."""
        return (self.grades / name / f"{STUDENT}.{suffix}").read_text(encoding="utf-8")


@contextmanager
def graded(work: Path, reports: Sequence[str], options: Sequence[str]) -> Iterator[Outcome]:
    """Grade a folder, an archive or nothing at all; a SingleError if nothing comes of it."""
    missing = sandbox.missing()
    formats = [f"--report={each}" for each in reports]
    trust = ["--trusted"] if missing else []
    with TemporaryDirectory(prefix="kata-") as home:
        handed_in, grades = Path(home, "handed-in"), Path(home, "grades")
        lay_out(work, handed_in)
        _grade([str(handed_in), "--grades", str(grades), *formats, *trust, *options])
        yield Outcome(grades, (*_warnings(missing), _seed(grades)))


def lay_out(work: Path, folder: Path) -> None:
    """Lay it out as a class of one.

    The file beside it keeps the grader from taking for a whole class what a student has named like
    the export of one.
    """
    own = folder / STUDENT
    own.mkdir(parents=True)
    (folder / "one-student.txt").touch()
    if work.is_dir():
        with suppress(shutil.Error):  # what cannot be copied cannot be read; all else is there
            shutil.copytree(work, own, symlinks=True, ignore=_too_deep(work), dirs_exist_ok=True)
    elif work.exists():
        shutil.copyfile(work, own / work.name)


def _too_deep(work: Path) -> Callable[[str, list[str]], Iterable[str]]:
    """What lies deeper than the grader looks; copying it could be without end."""
    deepest = len(work.parts) + DEEPEST
    return lambda folder, names: names if len(Path(folder).parts) > deepest else ()


def _grade(words: list[str]) -> None:
    """Run the grader; nothing that it prints is seen, but why it stopped."""
    command = [sys.executable, str(ROOT / "grader.py"), *words, "--workers=1"]
    try:
        done = subprocess.run(command, cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True,
                              encoding="utf-8", errors="replace", timeout=PATIENCE,
                              check=False)  # fmt: skip
    except subprocess.TimeoutExpired:
        raise SingleError(say("platforms.too-long", seconds=PATIENCE)) from None
    if done.returncode not in GRADED:
        reason = done.stderr.strip() or str(done.returncode)
        raise SingleError(say("platforms.stopped", reason=reason))


def _warnings(missing: list[str]) -> Iterator[str]:
    """What this machine lacks, and what that means."""
    yield from (say("sandbox.no-promise", promise=each) for each in missing)
    if missing:
        yield say("platforms.trusted")


def _seed(grades: Path) -> str:
    """How to grade again with the same numbers."""
    about = json.loads((grades / "about.json").read_text(encoding="utf-8"))
    return say("platforms.seed", seed=about["seed"])
