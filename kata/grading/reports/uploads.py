"""Feedback as a zip that a learning platform takes; and archives of fixed bytes."""

import io
import json
import re
import tarfile
import zipfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from zipfile import ZipFile

from kata.class_verdict import ClassVerdict, SubmissionVerdict
from kata.files import new_file
from kata.grading.collecting.names import ANONYMOUS, CANVAS, MOODLE, few
from kata.grading.reports.counting import Counts
from kata.grading.reports.feedback import Content, page, text

PAGE = "feedback.html"
FENCE = "```"
ESCAPED = re.compile(r"(`+[^`]*`+)|\\([!-/:-@\[-`{-~])")  # code, which stays as it is; a sign
UNSAFE = str.maketrans("_/\\", "   ")  # in a full name, which only people read
DEFAULT_DATE = (2020, 1, 1, 0, 0, 0)  # of a file
EARLIEST = (1980, 1, 1, 0, 0, 0)  # the first that a zip can hold: the date of all feedback
LINUX = 3  # the number of a system in zips, which have a field for its permissions
PLAIN, EXECUTABLE, READABLE = 0o100644, 0o100755, 0o644


@contextmanager
def upload(
    platform: str, verdicts: ClassVerdict, grades: Path
) -> Iterator[Callable[[SubmissionVerdict], None]]:
    """Write the zip of a platform in one step: if anything fails, it stays as it was."""
    names: set[str] = set()
    with new_file(grades / f"upload-{platform}.zip") as file, ZipFile(file, "w") as archive:

        def add(verdict: SubmissionVerdict) -> None:
            name = NAMES[platform](verdict.upload)
            if name and name not in names:  # of a group, all members have the same name
                names.add(name)
                content = _content(platform, name, page(verdict, verdicts))
                add_to_zip(archive, ArchiveFile(name, content, READABLE), EARLIEST)

        yield add


def _content(platform: str, name: str, feedback: Content) -> bytes:
    html = text(feedback, "html")
    if platform == "canvas" and (form := _form_of(name)):
        return form(html, text(feedback, "md"))
    return html.encode()


def summary(counts: Counts, grades: Path, platforms: Iterable[str]) -> Iterator[str]:
    """Say how many pages are in the zips, and list the work that the platform did not name."""
    for platform in dict.fromkeys(platforms):
        unfit: list[str] = []
        unnamed: list[str] = []
        for student in counts.present:
            if not NAMES[platform](student.upload):
                damaged = platform == "canvas" and _is_unfit(student.upload)
                (unfit if damaged else unnamed).append(student.student)
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


# Names


def _canvas_name(upload: str) -> str:
    """Return a name that Canvas gave to work; empty if a page would be a damaged file there."""
    match = CANVAS.match(upload) or ANONYMOUS.match(upload)
    named = bool(match and match.groupdict().get("order"))
    return upload if named and _form_of(upload) else ""


def _is_unfit(upload: str) -> bool:
    """Return whether a page would be a damaged file on Canvas, under a name like `homework.pdf`."""
    return bool(CANVAS.match(upload) and not _form_of(upload))


def _moodle_name(upload: str) -> str:
    """Make a path in a folder as Moodle names it; empty if Moodle did not name the work."""
    match = MOODLE.match(upload)
    if not match or not match["id"]:
        return ""
    return f"{match['student'].translate(UNSAFE)}_{match['id']}_assignsubmission_file_/{PAGE}"


# Forms


def _form_of(name: str) -> Callable[[str, str], bytes] | None:
    """Return the writer of feedback for a file of this name; None if it would be damaged."""
    return next((form for end, form in FORMS.items() if name.casefold().endswith(end)), None)


def _commented(text: str) -> bytes:
    """Write a text as comments of a Python file, which need no backslashes of Markdown."""
    lines, in_code = [], False
    for line in text.splitlines():
        in_code ^= line.startswith(FENCE)
        plain = line if in_code else ESCAPED.sub(lambda match: match[1] or match[2], line)
        lines.append(f"# {plain}".rstrip() + "\n")
    return "".join(lines).encode()


def _notebook(text: str) -> bytes:
    cell = {"cell_type": "markdown", "id": "feedback", "metadata": {}, "source": text}
    notebook = {"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(notebook, ensure_ascii=False, indent=1).encode()


@dataclass(frozen=True)
class ArchiveFile:
    """A file in an archive."""

    path: str
    content: bytes
    mode: int = PLAIN


def _page(html: str) -> ArchiveFile:
    return ArchiveFile(PAGE, html.encode(), READABLE)


def zipped(files: Iterable[ArchiveFile], date: tuple[int, ...] = DEFAULT_DATE) -> bytes:
    """Make a zip of these files."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for file in files:
            add_to_zip(archive, file, date)
    return content.getvalue()


def add_to_zip(
    archive: zipfile.ZipFile, file: ArchiveFile, date: tuple[int, ...] = DEFAULT_DATE
) -> None:
    """Write one more file into the zip."""
    info = zipfile.ZipInfo(file.path, date)  # type: ignore[arg-type]  # six numbers
    info.create_system = LINUX
    info.external_attr = file.mode << 16
    archive.writestr(info, file.content, zipfile.ZIP_DEFLATED)


def tarred(files: Iterable[ArchiveFile]) -> bytes:
    """Make a tar of these files."""
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for file in files:
            info = tarfile.TarInfo(file.path)
            info.size, info.mode = len(file.content), file.mode
            archive.addfile(info, io.BytesIO(file.content))
    return content.getvalue()


FORMS: dict[str, Callable[[str, str], bytes]] = {
    # By the end of the name; the texts are a page in HTML and one in Markdown.
    ".zip": lambda html, _: zipped([_page(html)], EARLIEST),
    ".py": lambda _, text: _commented(text),
    ".txt": lambda _, text: text.encode(),
    ".ipynb": lambda _, text: _notebook(text),
    **dict.fromkeys((".html", ".htm"), lambda html, _: html.encode()),
    # Readers take a tar for any kind of tar: they look at what is in it.
    **dict.fromkeys((".tar", ".tgz", ".tar.gz", ".tbz2", ".tbz", ".tar.bz2", ".txz", ".tar.xz"),
                    lambda html, _: tarred([_page(html)])),
}  # fmt: skip
NAMES: dict[str, Callable[[str], str]] = {"canvas": _canvas_name, "moodle": _moodle_name}
