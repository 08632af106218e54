"""Which reports there are, and writing those that were asked for.

A report is a module or a room beside this one with `write(found, grades)`: what it writes lies in
`grades` and follows from the verdicts alone, so that a report can be had later, without grading
again.
"""

from collections.abc import Iterable
from importlib import import_module
from pathlib import Path

from kata.verdict import ClassVerdict

ALWAYS = ("class_page",)
ON_REQUEST = ("feedback", "junit", "gradescope", "exercism", "classroom", "autolab")


def write(found: ClassVerdict, grades: Path, names: Iterable[str]) -> None:
    """Those that are always there, these, and what an earlier run has left, which would be old."""
    there = (each for each in ON_REQUEST if any(grades.glob(f"{each}*")))
    for name in dict.fromkeys([*ALWAYS, *names, *there]):
        import_module(f"kata.grading.reports.{name}").write(found, grades)
