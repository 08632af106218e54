"""The reports there are, and writing those that are wanted while the verdicts are read once.

`run` calls `write`; the command line takes the names, so nothing heavy is imported before a report
is written. A report depends on the verdicts alone, so that it can be written later without grading
again. Names of files are made from names of students, which are not trusted: see `stem`.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager
from functools import partial
from hashlib import sha256
from pathlib import Path

from kata.class_verdict import ClassVerdict, SubmissionVerdict
from kata.files import replacing

ALWAYS = ("class_page",)
ON_REQUEST = ("feedback", "junit", "gradescope", "exercism", "classroom", "autolab")
UPLOADS = ("upload-canvas", "upload-moodle")
LONGEST_STEM = 100  # bytes; every disk takes that with a suffix
PORTS = (f"{port}{number}" for port in ("com", "lpt") for number in "0123456789¹²³")
DEVICES = {"con", "prn", "aux", "nul", *PORTS}  # reserved by Windows, with any suffix
MARKED = re.compile(r".*-[0-9a-f]{8}", re.IGNORECASE | re.DOTALL)  # could be another's
Sink = Callable[[SubmissionVerdict], object]  # takes one verdict after the other
Texts = Callable[[SubmissionVerdict, ClassVerdict], Mapping[str, str]]  # of a student, by suffix


def write(verdicts: ClassVerdict, grades: Path, names: Iterable[str]) -> None:
    """Write the standard reports, those requested, and outdated ones that an earlier run left."""
    outdated = (name for name in (*ON_REQUEST, *UPLOADS) if is_there(name, grades))
    write_only(verdicts, grades, dict.fromkeys([*ALWAYS, *names, *outdated]))


def write_only(verdicts: ClassVerdict, grades: Path, names: Iterable[str]) -> None:
    """Write these reports, each of which is given every verdict."""
    with ExitStack() as stack:
        sinks = [stack.enter_context(_sink(name, verdicts, grades)) for name in names]
        for verdict in verdicts.submissions():
            for add in sinks:
                add(verdict)


def is_there(name: str, grades: Path) -> bool:
    """Whether an earlier run has left this report there."""
    return any(grades.glob(f"{name}*"))


def _sink(name: str, verdicts: ClassVerdict, grades: Path) -> AbstractContextManager[Sink]:
    # Imported here: an option needs no more than the names.
    from kata.grading.reports import class_page, feedback, interchange, uploads

    of_class: dict[str, Callable[[ClassVerdict, Path], AbstractContextManager[Sink]]] = {
        "class_page": class_page.page,
        "junit": interchange.junit,
        "upload-canvas": partial(uploads.upload, "canvas"),
        "upload-moodle": partial(uploads.upload, "moodle"),
    }
    if name in of_class:
        return of_class[name](verdicts, grades)
    of_student: dict[str, Texts] = {"feedback": feedback.texts, **interchange.FORMATS}
    return _student_files(of_student[name], verdicts, grades / name)


@contextmanager
def _student_files(texts: Texts, verdicts: ClassVerdict, folder: Path) -> Iterator[Sink]:
    """The files of one student after the other."""
    folder.mkdir(parents=True, exist_ok=True)

    def add(verdict: SubmissionVerdict) -> None:
        for suffix, text in texts(verdict, verdicts).items():
            with replacing(folder / f"{stem(verdict.student)}.{suffix}") as file:
                file.write(text)

    yield add


def stem(student: str) -> str:
    """Name a file after a student: by the name itself, or if a system refuses it, most of it and a
    hash.
    """
    plain = re.sub(r"[^\w .,'’-]|[^\S ]", "_", student)
    short = plain.encode("utf-8", "replace")[:LONGEST_STEM].decode("utf-8", "ignore")
    safe = short.strip(" .-") or "student"
    device = safe.split(".")[0].rstrip().casefold() in DEVICES
    if safe == student and not device and not MARKED.fullmatch(safe):
        return safe
    mark = sha256(student.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{'_' * device}{safe}-{mark}"
