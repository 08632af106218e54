"""What was handed in: `for submission in handed_in(path)`, one student at a time.

Nothing that a student hands in can stop this: what cannot be read becomes a note about the student.
What is hostile may take long, or crash Python: `reading` reads in a process with limits.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path

from kata.grading.collecting.choosing import Choice, choices, on_choices, unclear
from kata.grading.collecting.contents import Contents, contents
from kata.grading.collecting.files import File
from kata.grading.collecting.modules import with_modules
from kata.grading.collecting.names import few
from kata.grading.collecting.reader import Reader, UnreadError
from kata.grading.collecting.search import not_read
from kata.grading.collecting.students import IntakeError, Student, listing
from kata.text import shown

__all__ = ["FromNotebook", "HandedIn", "IntakeError", "handed_in", "listing", "read", "reading"]


@dataclass(frozen=True)
class FromNotebook:
    """The notebook, or the file of several exercises, from which a file was put together."""

    name: str
    places: Mapping[int, tuple[int, int]]  # line of the file → code cell, and line in it
    script: bool = False  # whether it is a file, which has no cells
    modules: Mapping[int, tuple[str, int]] = field(default_factory=dict)  # line → of another file

    def called(self, rename: Callable[[str], str]) -> "FromNotebook":
        """The same with other names of files."""
        modules = {at: (rename(name), line) for at, (name, line) in self.modules.items()}
        return replace(self, name=rename(self.name), modules=modules)


@dataclass(frozen=True)
class HandedIn:
    """The work of one student."""

    student: str  # straight from a file name, so it has to be escaped wherever it is printed
    files: Mapping[str, bytes]  # slug → the file, unchanged, or what a notebook holds as one
    notes: tuple[str, ...] = ()  # what the instructor should know, one line each
    problem: str = ""  # why nothing can be graded, one line
    id: str = ""  # the learning platform's number for the student
    notebooks: Mapping[str, FromNotebook] = field(default_factory=dict)  # by exercise
    proofs: Mapping[str, bytes] = field(default_factory=dict)  # by exercise
    settled: Mapping[str, bool] = field(default_factory=dict)  # what is known, and if it passed
    unread: Mapping[str, str] = field(default_factory=dict)  # by exercise: why its file is not read

    @property
    def digest(self) -> str:
        """A hash of the content; equal for students who handed in the same.

        Messages name the cells of a notebook, so that these are part of it.
        """
        total = sha256(self.problem.encode("utf-8", "backslashreplace"))
        for slug, content in sorted(self.files.items()):
            total.update(f"\0{slug}\0{len(content)}\0".encode() + content)
            if slug in self.notebooks:
                total.update(repr(self.notebooks[slug]).encode("utf-8", "backslashreplace"))
        for slug, reason in sorted(self.unread.items()):
            total.update(f"\0unread {slug} {reason}\0".encode("utf-8", "backslashreplace"))
        for slug, content in sorted(self.proofs.items()):
            total.update(f"\0proof {slug}\0{len(content)}\0".encode() + content)
        return total.hexdigest()


def handed_in(path: Path) -> Iterator[HandedIn]:
    """All students' work, read one by one; raises IntakeError at once if there is none."""
    return map(read, listing(path))


@contextmanager
def reading() -> Iterator[Callable[[Student], HandedIn]]:
    """Read in a process with limits; what exceeds them is a problem of this student alone."""
    with closing(Reader()) as reader:

        def bounded(student: Student) -> HandedIn:
            try:
                submission: HandedIn = reader.ask("read", student)
            except UnreadError as error:
                return HandedIn(student.name, {}, tuple(student.notes), str(error), student.id)
            return submission

        yield bounded


def read(student: Student) -> HandedIn:
    """The work of one student, from all places where it is."""
    places = [contents(place) for place in student.places]
    answers = choices([(place.place, place.files) for place in places])
    proofs = choices([(place.place, place.proofs) for place in places])
    named = tuple(student.notes)
    notes = [*_refused(places), *(note for place in places for note in place.notes)]
    if not (answers or proofs):
        nothing = "; ".join([*_nothing(places), *notes])
        return HandedIn(student.name, {}, named, nothing, student.id)
    if problem := unclear([*answers, *proofs]):
        return HandedIn(student.name, {}, (*named, *notes), problem, student.id)
    files, on_files = _whole(answers, places)
    several = [*on_choices(answers)] or [*_parts(student)]
    counting = {*files}
    return HandedIn(
        student.name,
        {slug: file.content for slug, file in files.items()},
        (*named, *several, *notes, *on_files),
        id=student.id,
        notebooks={slug: _origin(file) for slug, file in files.items() if file.taken},
        proofs={choice.slug: choice.file.content for choice in proofs},
        unread={slug: reason for place in places for slug, reason in place.unread.items()
                if slug not in counting},
    )  # fmt: skip


def _whole(answers: Iterable[Choice], places: list[Contents]) -> tuple[dict[str, File], list[str]]:
    """The files that count, with what they import, and notes about it."""
    by_time = sorted(places, key=lambda place: place.place.label.order)
    modules = [module for place in by_time for module in place.modules]
    files = {choice.slug: choice.file for choice in answers}
    notes = [choice.note for choice in answers if choice.note]
    for slug, file in files.items():
        if whole := with_modules(file, modules):
            files[slug] = whole[0]
            notes.append(whole[1])
    return files, notes


def _origin(file: File) -> FromNotebook:
    places = file.taken.places if file.taken else {}
    return FromNotebook(shown(file.name), places, file.script, file.elsewhere)


def _parts(student: Student) -> Iterator[str]:
    """A note if the work is in several places, unless a learning platform put it there."""
    if len(student.places) > 1 and not any(place.label.decorated for place in student.places):
        yield f"found in more than one place: {few(place.shown for place in student.places)}"


def _refused(places: list[Contents]) -> Iterator[str]:
    for place in places:
        if place.refused and len(places) == 1:
            yield place.refused
        elif place.refused:
            yield not_read([place.place.shown], place.refused)


def _nothing(places: list[Contents]) -> Iterator[str]:
    """What is there instead of work, if all of it could be read."""
    if not any(place.refused for place in places):
        others = few(name for place in places for name in place.others)
        yield "it contains no exercise" + (f", only {others}" if others else "")
