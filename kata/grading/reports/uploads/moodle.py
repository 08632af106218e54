"""upload-moodle.zip: feedback in folders named like those that Moodle gives out.

Moodle splits the name of a folder at its first underscores, and finds the student by the number
(mod/assign/feedback/file/importziplib.php, `is_valid_filename_for_import`).
"""

from collections.abc import Iterator
from pathlib import Path

from kata.class_verdict import ClassVerdict, SubmissionVerdict
from kata.grading.collecting.exports import MOODLE
from kata.grading.reports.feedback import pages
from kata.grading.reports.uploads import zips

PAGE = "feedback.html"
UNSAFE = str.maketrans("_/\\", "   ")  # in a full name, which only people read


def write(found: ClassVerdict, grades: Path) -> None:
    """Write the zip."""
    zips.write(grades / "upload-moodle.zip", _files(found))


def name_of(verdict: SubmissionVerdict) -> str:
    """The path of this student's feedback in the zip; empty if Moodle did not name the work."""
    match = MOODLE.match(verdict.upload)
    if not match or not match["id"]:
        return ""
    return f"{match['student'].translate(UNSAFE)}_{match['id']}_assignsubmission_file_/{PAGE}"


def _files(found: ClassVerdict) -> Iterator[tuple[str, bytes]]:
    seen: set[str] = set()
    for verdict in found.submissions():
        name = name_of(verdict)
        if name and name not in seen:  # of a group, all members have the same name
            seen.add(name)
            yield name, pages.text(pages.of(verdict, found), "html").encode()
