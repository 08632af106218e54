"""A file that a student handed in for an exercise, and how it ranks among others."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache

from kata.course.curriculum import exercises
from kata.course.source import UnusableError, decoded, not_started, parse
from kata.course.stubs import stub
from kata.grading.collecting.exports import name_parts
from kata.grading.collecting.names import Nearness, ShortName, number
from kata.grading.collecting.notebooks import Taken
from kata.text import shown

Parts = tuple[str, ...]


@dataclass(frozen=True)
class File:
    """A file for an exercise, or what a notebook or a file of several exercises holds of it."""

    slug: str
    parts: Parts  # of its path
    content: bytes
    archive: str = ""  # that contains it, if that lies in a folder
    taken: Taken | None = None  # if it is from a notebook, or from a file of several exercises
    short: ShortName | None = None  # if it does not have the exercise's name
    script: bool = False  # whether it is from a file of several exercises
    elsewhere: Mapping[int, tuple[str, int]] = field(default_factory=dict)  # lines of other files
    spare: bool = False  # whether it counts only where nothing else does

    @property
    def path(self) -> str:
        """Where it was handed in."""
        return "/".join(self.parts)

    @property
    def name(self) -> str:
        """What the student has called it."""
        return own_name(self.parts[-1])

    @property
    def own_path(self) -> str:
        """The same with its folders."""
        return "/".join([*self.parts[:-1], self.name])

    @property
    def renamed(self) -> bool:
        """Whether it does not have the exercise's own filename."""
        suffix = "ipynb" if self.taken else "py"
        return self.parts[-1] != f"{self.slug}.{suffix}"

    @property
    def begun(self) -> bool:
        """Whether anything has been written."""
        return self.taken.begun if self.taken else _is_begun(self.slug, self.content)

    @property
    def upload(self) -> tuple[int, ...]:
        """Whether it is in an archive, and how late that or the file was uploaded."""
        archive, order = number(self.archive), name_parts(self.parts[-1]).order
        return (bool(self.archive), -archive, -order)

    @property
    def nearness(self) -> int:
        """How near its name comes to that of the exercise's own file."""
        return self.short.nearness if self.short else int(self.renamed)

    @property
    def kind(self) -> tuple[int, int, int]:
        """Files come first, by their names; then what names less clearly and defines less."""
        if self.taken is None:
            return (int(self.short is not None), 0, 0)
        order = {True: 2, False: 3, None: 4}[self.taken.named]
        return (order, len(self.taken.missing), int(not self.script))

    def place(self, line: int) -> tuple[int, int] | None:
        """The cell of a line, and the line in it; None if the student has not written the line."""
        return self.taken.places.get(line) if self.taken else (1, line)

    def place_in_words(self, line: int) -> tuple[str, int] | None:
        """The file or the cell of a line, and the line in it."""
        if place := self.place(line):
            name, in_cells = shown(self.name), self.taken and not self.script
            return f"{name}, code cell {place[0]}" if in_cells else name, place[1]
        return None

    def is_unranked(self, other: "File") -> bool:
        """Whether the words in two short names leave open which is later: `ex05_final.py`."""
        if not (self.short and other.short) or self.taken or other.taken:
            return False
        shorts = (self.short, other.short)
        if Nearness.OLDER in {short.nearness for short in shorts}:
            return False
        same = (self.upload, len(self.parts)) == (other.upload, len(other.parts))
        return same and any(short.wordy for short in shorts)


def own_name(name: str) -> str:
    """The student's name for a file, also if Canvas' files were sorted into folders by hand."""
    parts = name_parts(name)
    return parts.file if parts.numbered else name


def preferred(files: Iterable[File]) -> list[File]:
    """Without those that count only where nothing else does, unless there is nothing else."""
    every = [*files]
    return [file for file in every if not file.spare] or every


def written_among(files: list[File]) -> list[File]:
    """Those in which anything is written; if in none, the files, which notebooks only repeat."""
    if len(files) < 2:
        return files
    begun = [file for file in files if file.begun]
    return begun or [file for file in files if not file.taken] or files[:1]


def normalized(content: bytes) -> bytes:
    """The content with the same line endings on every system."""
    return b"\n".join(content.rstrip().splitlines())


def _is_begun(slug: str, content: bytes) -> bool:
    """Whether any function is written: a stub of another version, or with remarks, is a stub."""
    exercise = exercises()[slug]
    if normalized(content) == _stub(slug):
        return False
    try:
        text = decoded(exercise.filename, content)
        return not not_started(parse(exercise.stub, text), exercise)
    except UnusableError:
        return True


@cache
def _stub(slug: str) -> bytes:
    return normalized(stub(exercises()[slug]).encode())
