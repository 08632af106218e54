"""Feedback as a zip that a learning platform takes back: upload-canvas.zip, upload-moodle.zip."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from zipfile import ZipFile

from kata.class_verdict import ClassVerdict, SubmissionVerdict
from kata.files import new_file
from kata.grading.collecting.names import few
from kata.grading.reports import canvas, moodle
from kata.grading.reports.archives import EARLIEST, READABLE, ArchiveFile, add_to_zip
from kata.grading.reports.feedback import Content, page, text

NAMES: dict[str, Callable[[SubmissionVerdict], str]] = {
    "canvas": canvas.upload_name,
    "moodle": moodle.upload_name,
}


@contextmanager
def upload(
    platform: str, verdicts: ClassVerdict, grades: Path
) -> Iterator[Callable[[SubmissionVerdict], None]]:
    """Write the zip of a platform in one step: if anything fails, it stays as it was."""
    written: set[str] = set()
    with new_file(grades / f"upload-{platform}.zip") as file, ZipFile(file, "w") as archive:

        def add(verdict: SubmissionVerdict) -> None:
            name = NAMES[platform](verdict)
            if name and name not in written:  # of a group, all members have the same name
                written.add(name)
                content = _content(platform, name, page(verdict, verdicts))
                add_to_zip(archive, ArchiveFile(name, content, READABLE), EARLIEST)

        yield add


def _content(platform: str, name: str, feedback: Content) -> bytes:
    html = text(feedback, "html")
    if platform == "canvas" and (form := canvas.form_of(name)):
        return form(html, text(feedback, "md"))
    return html.encode()


def summary(verdicts: ClassVerdict, grades: Path, platforms: Iterable[str]) -> Iterator[str]:
    """How many pages are in each zip, and whose is not: work that the platform did not name."""
    for platform in dict.fromkeys(platforms):
        unfit: list[str] = []
        unnamed: list[str] = []
        for verdict in verdicts.submissions():
            if not verdict.absent and not NAMES[platform](verdict):
                damaged = platform == "canvas" and canvas.is_unfit(verdict)
                (unfit if damaged else unnamed).append(verdict.student)
        if unnamed:
            yield (f"not named by {platform.title()}, so without feedback to upload, "
                   f"{len(unnamed)}: {few(unnamed)}")  # fmt: skip
        if unfit:
            yield (f"handed in under a name that {platform.title()} would show as a damaged file, "
                   f"such as homework.pdf, so without feedback to upload, {len(unfit)}: "
                   f"{few(unfit)}; --report feedback writes their pages")  # fmt: skip
        path = grades / f"upload-{platform}.zip"
        with ZipFile(path) as archive:
            yield f"feedback for {len(archive.namelist())} is in {path}, ready to upload"
