"""What is told of the zips with feedback that were asked for."""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from zipfile import ZipFile

from kata.class_verdict import ClassVerdict, SubmissionVerdict
from kata.grading.collecting.names import few
from kata.grading.reports.uploads import canvas, moodle
from kata.words import say

NAMES: dict[str, Callable[[SubmissionVerdict], str]] = {
    "canvas": canvas.name_of,
    "moodle": moodle.name_of,
}


def told(found: ClassVerdict, grades: Path, platforms: Iterable[str]) -> Iterator[str]:
    """How many pages are in each zip, and whose is not: work that the platform did not name."""
    for platform in dict.fromkeys(platforms):
        path, title = grades / f"upload-{platform}.zip", platform.title()
        lacking = [(each.student, platform == "canvas" and canvas.is_unfit(each))
                   for each in found.submissions()
                   if not each.absent and not NAMES[platform](each)]  # fmt: skip
        for key, unfit in (("uploads.without", False), ("uploads.unfit", True)):
            if names := [name for name, damaged in lacking if damaged is unfit]:
                yield say(key, platform=title, names=few(names), count=len(names))
        with ZipFile(path) as archive:
            count = len(archive.namelist())
        yield say(
            "uploads.written-one" if count == 1 else "uploads.written", count=count, path=path
        )
