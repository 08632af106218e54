"""The files of each student, with names that are safe on every system."""

import re
from collections.abc import Callable, Mapping
from hashlib import sha256
from pathlib import Path

from kata.class_verdict import ClassVerdict, SubmissionVerdict
from kata.grading.reports.tables import replacing

MOST = 100  # bytes; every disk takes that with a suffix
PORTS = (f"{port}{number}" for port in ("com", "lpt") for number in "0123456789¹²³")
DEVICES = {"con", "prn", "aux", "nul", *PORTS}  # reserved by Windows, with any suffix
MARKED = re.compile(r".*-[0-9a-f]{8}", re.IGNORECASE | re.DOTALL)  # could be another's


def write_each(
    found: ClassVerdict, folder: Path, of: Callable[[SubmissionVerdict], Mapping[str, str]]
) -> None:
    """Write the files of one student after the other; `of` gives their texts by suffix."""
    folder.mkdir(parents=True, exist_ok=True)
    for verdict in found.submissions():
        for suffix, text in of(verdict).items():
            with replacing(folder / f"{stem(verdict.student)}.{suffix}") as file:
                file.write(text)


def stem(student: str) -> str:
    """The name itself if every system allows it for a file; else most of it with a hash."""
    plain = re.sub(r"[^\w .,'’-]|[^\S ]", "_", student)
    short = plain.encode("utf-8", "replace")[:MOST].decode("utf-8", "ignore")
    safe = short.strip(" .-") or "student"
    device = safe.split(".")[0].rstrip().casefold() in DEVICES
    if safe == student and not device and not MARKED.fullmatch(safe):
        return safe
    mark = sha256(student.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{'_' * device}{safe}-{mark}"
