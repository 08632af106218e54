"""Grades one student's work where a platform has put it, by running the grader."""

import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from kata.course.curriculum import CODE
from kata.files import read_table
from kata.grading.collecting.entries import DEEPEST
from kata.grading.sandbox import sandbox
from kata.interpreter import beside_the_code
from kata.words import say

STUDENT = "submission"  # the student's name in the reports
GRADED = (0, 1)  # exit statuses after which there are reports
PATIENCE = 3600  # seconds; the grader itself stops a submission long before


class NotGradedError(Exception):
    """There is no report; the text says why, to the instructor."""


@dataclass(frozen=True)
class Outcome:
    """What the grader wrote; the folder exists only while the outcome is in use."""

    grades: Path
    notes: tuple[str, ...]  # what the instructor should know

    def report(self, name: str, suffix: str) -> str:
        """A report about the student."""
        return (self.grades / name / f"{STUDENT}.{suffix}").read_text(encoding="utf-8")


@contextmanager
def graded(work: Path, reports: Sequence[str], options: Sequence[str]) -> Iterator[Outcome]:
    """Grade a folder, an archive or nothing at all; raises NotGradedError if there is no report."""
    missing = sandbox.missing()
    formats = [f"--report={each}" for each in reports]
    trust = ["--trusted"] if missing else []
    with TemporaryDirectory(prefix="kata-") as home:
        handed_in, grades = Path(home, "handed-in"), Path(home, "grades")
        lay_out(work, handed_in)
        _grade([str(handed_in), "--grades", str(grades), *formats, *trust, *options])
        yield Outcome(grades, (*_warnings(missing), _seed(grades)))


def lay_out(work: Path, folder: Path) -> None:
    """Copy the work into a folder that the grader reads as a class with one student.

    Without the file next to the student's folder, the grader could take work that is named like the
    export of a class for a whole class.
    """
    own = folder / STUDENT
    own.mkdir(parents=True)
    (folder / "one-student.txt").touch()
    if work.is_dir():
        with suppress(shutil.Error):  # some files could not be read; all others were copied
            shutil.copytree(work, own, symlinks=True, ignore=_too_deep(work), dirs_exist_ok=True)
    elif work.exists():
        shutil.copyfile(work, own / work.name)


def _too_deep(work: Path) -> Callable[[str, list[str]], Iterable[str]]:
    """Ignore what lies deeper than the grader looks: copying it might never end."""
    deepest = len(work.parts) + DEEPEST
    return lambda folder, names: names if len(Path(folder).parts) > deepest else ()


def _grade(words: list[str]) -> None:
    """Run the grader. Its output is dropped, except for the reason if it stopped."""
    command = [sys.executable, "-m", "kata", "grade", *words, "--workers=1"]
    try:
        done = subprocess.run(command, cwd=CODE, env=beside_the_code(), stdin=subprocess.DEVNULL,
                              capture_output=True, encoding="utf-8", errors="replace",
                              timeout=PATIENCE, check=False)  # fmt: skip
    except subprocess.TimeoutExpired:
        raise NotGradedError(say("platforms.too-long", seconds=PATIENCE)) from None
    if done.returncode not in GRADED:
        reason = done.stderr.strip() or str(done.returncode)
        raise NotGradedError(say("platforms.stopped", reason=reason))


def _warnings(missing: list[str]) -> Iterator[str]:
    """The guarantees that this machine cannot give, and what that means for the mark."""
    yield from map(sandbox.no_promise, missing)
    if missing:
        yield say("platforms.trusted")


def _seed(grades: Path) -> str:
    """The option that grades again with the same random numbers."""
    about = read_table(grades / "about.json")
    return say("platforms.seed", seed=about["seed"])
