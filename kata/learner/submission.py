"""A submission: one zip, and a line about every file in it."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from kata.archives import ArchiveFile, zipped
from kata.course.curriculum import exercises
from kata.learner.own_files import unused, write
from kata.terminal.board import standing
from kata.text import clean
from kata.verdict import ExerciseVerdict


@dataclass(frozen=True)
class Entry:
    """A file of a submission.

    Attributes:
        path: its path in the zip.
        content: the bytes that are handed in.
        standing: what the learner should know of it, in a few words.
    """

    path: str
    content: bytes
    standing: str

    @classmethod
    def of(cls, verdict: ExerciseVerdict, content: bytes) -> "Entry":
        """Return the file of an exercise, with its standing."""
        return cls(exercises()[verdict.slug].filename, content, standing(verdict))

    @property
    def line(self) -> str:
        """The row for a list of all files."""
        return clean(f"  {self.path:<32} {self.standing}")


def submit(entries: Iterable[Entry], out: Path) -> Path:
    """Write the zip, beside an older one of this name; return its path."""
    path = unused(out) if out.exists() else out
    write(path, zipped(ArchiveFile(entry.path, entry.content) for entry in entries))
    return path
