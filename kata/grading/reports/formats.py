"""Which reports there are, and writing the requested ones.

A report is a module or a package beside this one with `write(found, grades)`. It writes into
`grades` and depends on the verdicts alone, so that it can be written later without grading again.
"""

from collections.abc import Iterable
from importlib import import_module
from pathlib import Path

from kata.class_verdict import ClassVerdict

ALWAYS = ("class_page",)
ON_REQUEST = ("feedback", "junit", "gradescope", "exercism", "classroom", "autolab")
UPLOADS = ("upload-canvas", "upload-moodle")  # modules of the package `uploads`


def write(found: ClassVerdict, grades: Path, names: Iterable[str]) -> None:
    """The standard ones, those requested, and any left by an earlier run, now out of date."""
    there = (each for each in (*ON_REQUEST, *UPLOADS) if is_there(each, grades))
    for name in dict.fromkeys([*ALWAYS, *names, *there]):
        place = name.replace("upload-", "uploads.")
        import_module(f"kata.grading.reports.{place}").write(found, grades)


def is_there(name: str, grades: Path) -> bool:
    """Whether an earlier run has left this report there."""
    return any(grades.glob(f"{name}*"))
