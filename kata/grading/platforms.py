"""The grader on a platform: the files of the upload, and the program that grades work there.

Called by `kata.commands.platform`, which packs the upload, and by the scripts in `files`, which run
this module on the platform. The work is hostile: the grader runs in a process of its own, and
nothing that a student wrote is printed where a platform takes lines for commands.
"""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from kata.course.curriculum import CODE, INSTALLED, ROOT
from kata.files import read_table, replacing
from kata.grading import sandbox
from kata.grading.collecting.entries import DEEPEST
from kata.grading.reports.interchange import FORM, HIDDEN
from kata.grading.reports.uploads import EXECUTABLE, ArchiveFile
from kata.interpreter import beside_the_code
from kata.text import clean

USAGE = """The grader on a platform: what is uploaded to it, and what grades each submission there.

python -m kata.grading.platforms gradescope PREFIX
python -m kata.grading.platforms github WORK [OPTION OF THE GRADER …]
python -m kata.grading.platforms autolab WORK OPTIONS
"""
FILES = Path(__file__).with_name("files")
FOLDER = "attention-kata"  # that contains the kata in the archive
OPTIONS = "options.txt"
# All of the course that grading needs, and what pip needs to install it.
NEEDED = (
    *("exercises/*.py", "exercises/*.toml", "solutions/*.py", "bugs/*.toml"),
    *("tests/__init__.py", "tests/graded/**/*.py", "grader.py"),
    *("pyproject.toml", "packaging/hatch_build.py", "constraints.txt", "README.md", "LICENSE"),
)
LEFT_OUT = ("__pycache__", ".")  # prefixes of names
STUDENT = "submission"  # the student's name in the reports
REPORTED = (0, 1)  # exit statuses after which there are reports
PATIENCE = 3600  # seconds; the grader itself stops a submission long before
NO_RESULTS = "no-results.json"
LARGEST = 1_000_000  # bytes; GitHub accepts 1 MiB for the summary of a step
NOT_FINISHED = (
    "The grader could not finish. This says nothing about your work; please tell your instructor."
)
GRADED_ANYWAY = (
    "It was graded anyway, as with --trusted. Malicious code could have done what is not "
    "guaranteed, and forged its mark: grade suspicious work again on a machine that can give all "
    "guarantees (docs/grading/sandbox.md)."
)


# What is uploaded: the same files give the same bytes.


def kata() -> Iterator[ArchiveFile]:
    """Yield all files of the kata itself, in a folder of their own."""
    course = {path.relative_to(ROOT): path for pattern in NEEDED for path in ROOT.glob(pattern)}
    code = {path.relative_to(CODE): path for path in (CODE / "kata").rglob("*")}
    for name, path in sorted({**course, **code}.items()):
        if path.is_file() and not _is_left_out(path, name):
            yield ArchiveFile(f"{FOLDER}/{name.as_posix()}", path.read_bytes())


def _is_left_out(path: Path, name: Path) -> bool:
    is_copy = name.parts[0] == "kata" and path.is_relative_to(INSTALLED)
    return is_copy or any(part.startswith(LEFT_OUT) for part in name.parts)


def text(name: str) -> str:
    """Read one of the files for platforms, with Linux line endings."""
    return (FILES / name).read_text(encoding="utf-8")


def script(name: str) -> ArchiveFile:
    """Read one of the files for platforms, and make it executable."""
    return ArchiveFile(Path(name).name, text(name).encode(), EXECUTABLE)


def options_file(shorts: Iterable[str]) -> ArchiveFile:
    """Make the file of grader options: the exercises that count; instructors may add to it."""
    lines = [text(OPTIONS), *(f"--only={short}\n" for short in shorts)]
    return ArchiveFile(OPTIONS, "".join(lines).encode())


def options_in(path: Path) -> list[str]:
    """Read the options in such a file."""
    lines = map(str.strip, path.read_text(encoding="utf-8").splitlines())
    return [line for line in lines if line and not line.startswith("#")]


def no_results(max_score: float) -> str:
    """Make the results that count on Gradescope until there are better ones: no points."""
    results = json.loads(text("gradescope/no-results.json"))
    results["extra_data"] = {"form": FORM, "max_score": max_score}
    return f"{json.dumps(results, indent=1)}\n"


# What runs there: it grades one student's work, and passes the results on.


class NotGradedError(Exception):
    """The grader left no report; the text tells the instructor why."""


def gradescope(prefix: Path) -> None:
    """Write results.json, which Gradescope can read even if the grader fails.

    The prefix contains Gradescope's folders `submission`, `source` and `results`.
    """
    try:
        options = options_in(prefix / "source" / OPTIONS)
        with graded(prefix / "submission", ["gradescope"], options) as outcome:
            results: dict[str, Any] = json.loads(outcome.report("gradescope", "json"))
        results["tests"].append(_hidden(outcome.notes))
    except Exception as error:  # also a bug of the grader: the student always gets results
        reason = str(error) if isinstance(error, NotGradedError) else repr(error)
        results = json.loads((prefix / "source" / NO_RESULTS).read_text(encoding="utf-8"))
        results |= {"output": NOT_FINISHED, "tests": [_hidden([reason])]}
    with replacing(prefix / "results" / "results.json") as file:
        json.dump(results, file, indent=1)


def _hidden(lines: Iterable[str]) -> dict[str, str]:
    output = "\n".join(map(clean, lines))
    return {"name": "for instructors: the grader", "output": output, **HIDDEN}


def github(work: Path, options: Sequence[str]) -> None:
    """Grade a student's repository, and write everything to where GitHub looks for it.

    The marks go to the next step, the feedback to the summary of the run, and junit.xml to
    `results`. Nothing that a student wrote is printed, because GitHub takes some printed lines for
    commands. If grading fails, the step fails.
    """
    with graded(work, ("classroom", "junit", "feedback"), options) as outcome:
        _add("GITHUB_OUTPUT", f"result={outcome.report('classroom', 'base64').strip()}\n")
        feedback = outcome.report("feedback", "md").encode()[:LARGEST]
        _add("GITHUB_STEP_SUMMARY", feedback.decode(errors="ignore"))
        results = Path("results")
        results.mkdir(exist_ok=True)
        shutil.copyfile(outcome.grades / "junit.xml", results / "junit.xml")
    print(*outcome.notes, sep="\n")


def _add(variable: str, text: str) -> None:
    """Append to the file that this environment variable names."""
    with Path(os.environ[variable]).open("a", encoding="utf-8") as file:
        file.write(text)


def autolab(work: Path, options: Path) -> None:
    """Print the two lines that Autolab reads: the feedback, and last the scores.

    Nothing else is ever printed. If grading fails, nothing is printed, the exit status is 1, and
    the last line on stderr says why.
    """
    with graded(work, ["autolab"], options_in(options)) as outcome:
        report = outcome.report("autolab", "txt")
    print(report, end="")


@dataclass(frozen=True)
class Outcome:
    """The grader's reports and notes; the folder exists only while the outcome is in use."""

    grades: Path
    notes: tuple[str, ...]  # what the instructor should know

    def report(self, name: str, suffix: str) -> str:
        """Read a report about the student."""
        return (self.grades / name / f"{STUDENT}.{suffix}").read_text(encoding="utf-8")


@contextmanager
def graded(work: Path, reports: Sequence[str], options: Sequence[str]) -> Iterator[Outcome]:
    """Grade a folder, an archive or nothing at all; raise NotGradedError if there is no report."""
    missing = sandbox.missing()
    formats = [f"--report={name}" for name in reports]
    trust = ["--trusted"] if missing else []
    with TemporaryDirectory(prefix="kata-") as home:
        submissions, grades = Path(home, "handed-in"), Path(home, "grades")
        lay_out(work, submissions)
        _grade([str(submissions), "--grades", str(grades), *formats, *trust, *options])
        # The guarantees that this machine cannot give, and the option that grades again alike.
        notes = [*map(sandbox.no_promise, missing)]
        notes += [GRADED_ANYWAY] if missing else []
        seed = read_table(grades / "about.json")["seed"]
        yield Outcome(grades, (*notes, f"the random numbers in claims: --seed {seed}"))


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
        raise NotGradedError(f"the grader did not end within {PATIENCE} seconds") from None
    if done.returncode not in REPORTED:
        reason = clean(done.stderr.strip()) or str(done.returncode)
        raise NotGradedError(f"the grader stopped: {reason}")


if __name__ == "__main__":
    match sys.argv[1:]:
        case "gradescope", prefix:
            gradescope(Path(prefix))
        case "github", work, *options:
            github(Path(work), options)
        case "autolab", work, file:
            autolab(Path(work), Path(file))
        case _:
            raise SystemExit(USAGE)
