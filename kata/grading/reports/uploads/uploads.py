"""What is told of the zips with feedback that were asked for."""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from zipfile import ZipFile

from kata.grading.collecting.names import few
from kata.grading.reports.uploads import canvas, moodle
from kata.verdict import ClassVerdict, SubmissionVerdict
from kata.words import say

NAMES: dict[str, Callable[[SubmissionVerdict], str]] = {
    "canvas": canvas.name_of,
    "moodle": moodle.name_of,
}


def told(found: ClassVerdict, grades: Path, platforms: Iterable[str]) -> Iterator[str]:
    """How many pages are in each zip, and whose is not: work that the platform did not name."""
    for platform in dict.fromkeys(platforms):
        path, title = grades / f"upload-{platform}.zip", platform.title()
        handed = (each for each in found.submissions() if not each.absent)
        without = [each.student for each in handed if not NAMES[platform](each)]
        if without:
            yield say("uploads.without", platform=title, names=few(without), count=len(without))
        with ZipFile(path) as archive:
            count = len(archive.namelist())
        yield say(
            "uploads.written-one" if count == 1 else "uploads.written", count=count, path=path
        )
