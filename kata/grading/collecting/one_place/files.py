"""The files of one student that are in one folder or archive."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from kata.course.curriculum import exercises
from kata.course.notebooks.notebook_file import Notebook
from kata.course.source import LARGEST, UnusableError, decoded, not_started, parse
from kata.grading.collecting.exports import name_parts
from kata.grading.collecting.handed_text.short_names import Nearness, ShortName, short_name
from kata.grading.collecting.names import is_file, number, slug_of
from kata.grading.collecting.notebooks import Taken
from kata.grading.collecting.one_place.stubs import is_stub
from kata.grading.collecting.places import Location
from kata.words import say

Parts = tuple[str, ...]

# Next to `exercises/`, these folders belong to the kata, not to the student.
OURS = {"benchmarks", "bugs", "docs", "kata", "solutions", "tests"}
MOST_MODULES = 500  # in one place


def own_name(name: str) -> str:
    """The student's name for a file, also if Canvas' files were sorted into folders by hand."""
    parts = name_parts(name)
    return parts.file if parts.numbered else name


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
    def renamed(self) -> bool:
        """Whether it does not have the exercise's own filename."""
        suffix = "ipynb" if self.taken else "py"
        return self.parts[-1] != f"{self.slug}.{suffix}"

    @property
    def begun(self) -> bool:
        """Whether anything has been written."""
        return self.taken.begun if self.taken else is_begun(self.slug, self.content)

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

    def is_unranked(self, other: "File") -> bool:
        """Whether the words in two short names leave open which is later: `ex05_final.py`."""
        if not (self.short and other.short) or self.taken or other.taken:
            return False
        shorts = (self.short, other.short)
        if Nearness.OLDER in {each.nearness for each in shorts}:
            return False
        same = (self.upload, len(self.parts)) == (other.upload, len(other.parts))
        return same and any(each.wordy for each in shorts)


@dataclass(frozen=True)
class Found:
    """What one place holds."""

    place: Location
    files: Mapping[str, File]  # by exercise
    proofs: Mapping[str, File]  # by exercise
    notes: tuple[str, ...]
    others: tuple[str, ...] = ()  # files that belong to no exercise
    refused: str = ""  # why it could not be read to the end; then nothing in it counts
    modules: tuple[File, ...] = ()  # Python files that an answer may import by their names
    unread: Mapping[str, str] = field(default_factory=dict)  # by exercise, why its file is not read


@dataclass
class Search:
    """What has been found so far in one place."""

    seen: int = 0
    size: int = 0
    files: list[File] = field(default_factory=list)
    proofs: list[File] = field(default_factory=list)
    notebooks: list[tuple[File, Notebook]] = field(default_factory=list)
    modules: list[File] = field(default_factory=list)  # Python files with other names
    scripts: list[File] = field(default_factory=list)  # of these, what may hold exercises
    spares: list[File] = field(default_factory=list)  # named after one exercise, and hold others
    helpers: list[File] = field(default_factory=list)  # of these, tests and notes
    swapped: dict[Parts, str] = field(default_factory=dict)  # named after this, but not of it
    broken: set[str] = field(default_factory=set)  # archives in which nothing counts
    refused: dict[str, list[Parts]] = field(default_factory=dict)
    lines: dict[Parts, int] = field(default_factory=dict)  # of what cannot be read
    encoded: dict[str, list[Parts]] = field(default_factory=dict)  # by encoding, if not UTF-8
    strays: list[Parts] = field(default_factory=list)
    others: list[Parts] = field(default_factory=list)
    kata: set[Parts] = field(default_factory=set)  # folders that contain a folder `exercises`

    def keep_module(self, file: File) -> None:
        """Keep a Python file that answers may import, unless it is large or the kata's own."""
        own = not OURS.intersection(file.parts[:-1])
        if own and len(file.content) <= LARGEST and len(self.modules) < MOST_MODULES:
            self.modules.append(file)

    def counts(self, file: File) -> bool:
        """Whether it is the student's own, and no archive around it is damaged."""
        return not (self.is_ours(file.parts) or self.is_broken(file.archive))

    def is_ours(self, parts: Parts) -> bool:
        """Whether it is one of the kata's own files, because the whole kata was handed in."""
        folders = range(len(parts) - 1)
        return any(parts[each] in OURS and parts[:each] in self.kata for each in folders)

    def is_broken(self, archive: str) -> bool:
        """Whether nothing in this archive counts, because of what is wrong with it or around it."""
        return archive in self.broken or any(
            archive.startswith(f"{each}/") for each in self.broken if archive
        )

    def refuse(self, reason: str, parts: Parts, line: int = 0) -> None:
        """Note that something is not read, perhaps for what is in this line."""
        self.lines[parts] = line
        self.broken.add("/".join(parts))
        self.refused.setdefault(reason, []).append(parts)

    def unread(self, counting: Collection[str]) -> Iterator[tuple[str, Parts, str]]:
        """Exercises of which nothing counts, as their files are not read; with these, and why."""
        for reason, refused in self.refused.items():
            for parts in refused:
                name = own_name(parts[-1])
                slug = slug_of(name) or (short_name(name).slug if is_file(name) else "")
                if slug and slug not in counting and not self.is_ours(parts):
                    line = self.lines[parts]
                    where = say("collecting.in-line", line=line) if line else ""
                    yield slug, parts, f"{reason}{where}"


def preferred(files: Iterable[File]) -> list[File]:
    """Without those that count only where nothing else does, unless there is nothing else."""
    every = [*files]
    return [each for each in every if not each.spare] or every


def is_begun(slug: str, content: bytes) -> bool:
    """Whether any function is written: a stub of another version, or with remarks, is a stub."""
    exercise = exercises()[slug]
    if is_stub(slug, content):
        return False
    try:
        text = decoded(exercise.filename, content)
        return not not_started(parse(exercise.stub, text), exercise)
    except UnusableError:
        return True
