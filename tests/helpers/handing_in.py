"""Submissions in all layouts, good and hostile, and what the grader collects from them."""

import gzip
import io
import os
import shutil
import tarfile
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from kata.grading.collecting import reader
from kata.grading.collecting.submissions import Submission, listing, read, reading
from tests.helpers.handed_work import EX01, F01, F05, F07, MIB, WORK, Files


class ReaderHere:
    """Does what `reader.Reader` asks of a process, without its limits."""

    def __init__(self, task: reader.Task) -> None:
        self.task = task

    def ask(self, work: object) -> Any:
        return reader.checked(reader.answer(self.task, work))

    def close(self) -> None:
        """Nothing to end."""


def write(folder: Path, files: Files) -> Path:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return folder


def zipped(files: Files, method: int = zipfile.ZIP_DEFLATED) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", method) as archive:
        for name, each in files.items():
            archive.writestr(name, each)
    return content.getvalue()


def tarred(files: Files, mode: str = "w:gz") -> bytes:
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode=mode) as archive:
        for name, each in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(each)
            archive.addfile(member, io.BytesIO(each))
    return content.getvalue()


def handed_in(path: Path) -> Iterator[Submission]:
    """All students' work, read in this process one by one."""
    return map(read, listing(path))


def by_student(path: Path) -> dict[str, Submission]:
    """All submissions by name, after checks that hold for each of them."""
    found = [*handed_in(path)]
    for each in found:  # whatever was handed in
        assert not (each.files and each.problem)
        assert each.files or each.problem
        assert all(line.isprintable() and line for line in each.notes)
        assert each.problem.isprintable()
    by_name = {each.student: each for each in found}
    assert len(by_name) == len(found)
    return by_name


def only_student(path: Path) -> Submission:
    (found,) = by_student(path).values()
    return found


def from_folder(tmp_path: Path, files: Files) -> Submission:
    """What is collected from a student's folder with these files."""
    return only_student(write(tmp_path / "class", {f"alice/{k}": v for k, v in files.items()}))


def from_archive(tmp_path: Path, content: bytes, name: str = "alice.zip") -> Submission:
    """What is collected from an archive, while another student's work is collected unharmed."""
    found = by_student(write(tmp_path / "class", {name: content, f"bob/{F01}": WORK}))
    assert found["bob"].files == {EX01: WORK}
    assert found["bob"].notes == ()
    return found["alice"]


def check(work: Submission, files: Files, *said: str) -> None:
    """Whether this counts, and this is said of it.

    A text that ends its last line is a whole file, any other one a part; of a note that ends in an
    ellipsis, more may follow.
    """
    assert [*work.files] == [*files]
    for slug, text in files.items():
        content = work.files[slug]
        assert content == text if text.endswith(b"\n") else text in content
    notes = [*work.notes, *filter(None, [work.problem])]
    assert len(notes) == len(said), notes
    for note, start in zip(notes, said, strict=True):
        assert note.startswith(start[:-1]) if start.endswith("…") else note == start


def clone(tmp_path: Path, name: str, work: bytes) -> None:
    write(
        tmp_path / name,
        {
            ".git/HEAD": b"ref: refs/heads/main\n",
            f".git/{F05}": b"never\n",
            f"exercises/{F05}": work,
            f"solutions/{F05}": b"the reference\n",
            f"solutions/{F01}": b"the reference\n",
            f"tests/specimens/attempts/{F07}": b"somebody's\n",
            "kata/commands/ex99_nothing.py": b"",
        },
    )


def empty_members() -> bytes:
    """A gzip that takes long: twenty bytes each, of which nothing comes out."""
    return gzip.compress(b"", 1) * (40 * MIB // 20)


def read_all(folder: Path) -> dict[str, Submission]:
    """All submissions by name, read in a process with limits."""
    with reading() as read:
        return {student.name: read(student) for student in listing(folder)}


def encrypted(content: bytes) -> bytes:
    """A zip whose entries are marked as encrypted."""
    changed = bytearray(content)
    for signature, offset in ((b"PK\3\4", 6), (b"PK\1\2", 8)):
        at = -1
        while (at := content.find(signature, at + 1)) >= 0:
            changed[at + offset] |= 1
    return bytes(changed)


@contextmanager
def folder_with_permissions() -> Iterator[Path]:
    """A folder in which permissions apply, after `drop_rights` even to root."""
    folder = Path(tempfile.mkdtemp())
    user = os.geteuid()
    try:
        folder.chmod(0o755)
        yield folder
    finally:
        if user == 0:
            os.seteuid(0)
        for each in folder.rglob("*"):
            each.chmod(0o755)
        shutil.rmtree(folder)


def drop_rights() -> None:
    if os.geteuid() == 0:
        os.seteuid(65534)
