"""The work of one student, read from all places where it is.

`run` reads with `reading`, in a process with limits (see `reader`): hostile work may take long, or
crash Python. Nothing that a student hands in may stop a run: what cannot be read becomes a note
about the student, or their problem. The judges, the journal and `adjusting` work with `Submission`.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace

from kata.course.curriculum import exercises
from kata.course.naming import stray
from kata.grading.collecting.choosing import (
    Choice,
    File,
    Parts,
    choices,
    on_choices,
    unclear,
)
from kata.grading.collecting.contents import Contents, not_read
from kata.grading.collecting.entries import RefusedError, entries
from kata.grading.collecting.modules import with_modules
from kata.grading.collecting.names import few, short_name, shorts
from kata.grading.collecting.notebooks import asked_of, defined
from kata.grading.collecting.places import Location
from kata.grading.collecting.python_files import text_of
from kata.grading.collecting.reader import Reader, UnreadError
from kata.grading.collecting.students import Student, listing
from kata.text import shown

__all__ = ["Origin", "Submission", "listing", "read", "reading"]


@dataclass(frozen=True)
class Origin:
    """The notebook, or the file of several exercises, from which a file was put together."""

    name: str
    places: Mapping[int, tuple[int, int]]  # line of the file → code cell, and line in it
    script: bool = False  # whether it is a file, which has no cells
    modules: Mapping[int, tuple[str, int]] = field(default_factory=dict)  # line → of another file

    def renamed(self, rename: Callable[[str], str]) -> "Origin":
        """The same with other names of files."""
        modules = {at: (rename(name), line) for at, (name, line) in self.modules.items()}
        return replace(self, name=rename(self.name), modules=modules)


@dataclass(frozen=True)
class Submission:
    """The work of one student."""

    student: str  # straight from a file name, so it has to be escaped wherever it is printed
    # By exercise: a notebook as one file, and with imports of own modules and of plots rewritten.
    files: Mapping[str, bytes]
    notes: tuple[str, ...] = ()  # what the instructor should know, one line each
    problem: str = ""  # why nothing can be graded, one line
    id: str = ""  # the learning platform's number for the student
    notebooks: Mapping[str, Origin] = field(default_factory=dict)  # by exercise
    proofs: Mapping[str, bytes] = field(default_factory=dict)  # by exercise
    settled: Mapping[str, bool] = field(default_factory=dict)  # what is known, and if it passed
    unread: Mapping[str, str] = field(default_factory=dict)  # by exercise: why its file is not read


@contextmanager
def reading() -> Iterator[Callable[[Student], Submission]]:
    """Read in a process with limits; what exceeds them is a problem of this student alone."""
    with closing(Reader()) as reader:

        def bounded(student: Student) -> Submission:
            try:
                submission: Submission = reader.ask("read", student)
            except UnreadError as error:
                return Submission(student.name, {}, tuple(student.notes), str(error), student.id)
            return submission

        yield bounded


def read(student: Student) -> Submission:
    """Read the work of one student, from all places where it is."""
    places = [*map(contents_of, student.places)]
    answers = choices([(contents.place, contents.answers) for contents in places])
    proofs = choices([(contents.place, contents.tests) for contents in places])
    named, notes = tuple(student.notes), [note for contents in places for note in contents.notes]
    refused = [contents for contents in places if contents.refusal]
    if len(places) == 1:
        notes[:0] = [contents.refusal for contents in refused]
    else:
        notes[:0] = [not_read([contents.place.shown], contents.refusal) for contents in refused]
    if not (answers or proofs):
        others = few("/".join(parts) for contents in places for parts in contents.others)
        nothing = "it contains no exercise" + (f", only {others}" if others else "")
        problem = "; ".join([*([] if refused else [nothing]), *notes])
        return Submission(student.name, {}, named, problem, student.id)
    if problem := unclear([*answers, *proofs]):
        return Submission(student.name, {}, (*named, *notes), problem, student.id)
    files, on_files = _whole(answers, places)
    several = [*on_choices(answers)] or [*_parts(student)]
    return Submission(
        student.name,
        {slug: file.content for slug, file in files.items()},
        (*named, *several, *notes, *on_files),
        id=student.id,
        notebooks={slug: Origin(shown(file.name), file.extract.places, file.script, file.elsewhere)
                   for slug, file in files.items() if file.extract},
        proofs={choice.slug: choice.file.content for choice in proofs},
        unread={slug: reason for contents in places for slug, reason in contents.unread.items()
                if slug not in files},
    )  # fmt: skip


def _whole(answers: Iterable[Choice], places: list[Contents]) -> tuple[dict[str, File], list[str]]:
    by_time = sorted(places, key=lambda contents: contents.place.label.order)
    modules = [module for contents in by_time for module in contents.modules]
    files = {choice.slug: choice.file for choice in answers}
    notes = [choice.note for choice in answers if choice.note]
    for slug, file in files.items():
        if whole := with_modules(file, modules):
            files[slug] = whole[0]
            notes.append(whole[1])
    return files, notes


def _parts(student: Student) -> Iterator[str]:
    """A note if the work is in several places, unless a learning platform put it there."""
    if len(student.places) > 1 and not any(place.label.decorated for place in student.places):
        yield f"found in more than one place: {few(place.shown for place in student.places)}"


# -- one folder or archive


def contents_of(place: Location) -> Contents:
    """Find everything that counts in this place, and note what does not."""
    contents = Contents(place)
    try:
        for entry in entries(place.path, place.label.file):
            contents.look_at(entry)
    except RefusedError as error:
        return Contents(place, str(error))
    contents.choose()
    contents.notes += [
        *_on_names(contents), *_on_mixed(contents), *_on_unread(contents), *_on_helpers(contents),
        # No more than there are exercises.
        *map(_on_stray, contents.strays[: len(exercises())]),
    ]  # fmt: skip
    contents.forget()
    return contents


def _on_names(contents: Contents) -> Iterator[str]:
    """Which files count though they have other names; a platform's additions are no news."""
    whole = {slug: file for slug, file in contents.answers.items() if not file.extract}
    for slug, file in whole.items():
        if not (contents.place.label.decorated or file.short) and file.renamed:
            yield f"{shown(file.parts[-1])} counts as {exercises()[slug].filename}"
    if short := [file.path for file in whole.values() if file.short]:
        claim = "count for the exercises in their names, as they define what these ask for"
        yield f"{claim}: {few(short)}"


def _on_mixed(contents: Contents) -> Iterator[str]:
    """On notebooks and on files with several exercises: what they count for, and what does not."""
    for parts, slug in contents.swapped.items():
        if counts := shorts(own for own, file in contents.answers.items() if file.parts == parts):
            short = exercises()[slug].short
            defines = f"it defines what {counts} asks for, and nothing of {short}"
            yield f"{shown('/'.join(parts))} counts for {counts}, not for {short}: {defines}"
    odd = {file.parts: book.odd for file, book in contents.notebooks}
    for mixed in (*(file for file, _ in contents.notebooks), *contents.scripts, *contents.spares):
        if mixed.parts not in contents.swapped:
            yield from _on_one(mixed, contents.answers, odd.get(mixed.parts, 0))


def _on_one(mixed: File, files: Mapping[str, File], odd: int) -> Iterator[str]:
    extracts = [
        file.extract for file in files.values() if file.extract and file.parts == mixed.parts
    ]
    name = shown(mixed.path)
    if news := [part.slug for part in extracts if mixed.script or not part.named]:
        yield f"{name} counts for {shorts(news)}"
    if extracts and odd:
        yield f"{name} lists things that are not cells, which were left out: {odd}"
    if shared := {asked for part in extracts for asked in part.shared}:
        parts = "definitions" if mixed.script else "cells"
        which = f"which {parts} {'in' if mixed.script else 'of'} {name} are for which was told by"
        means = "headings or libraries" if mixed.script else "names, tags or libraries"
        yield f"several exercises ask for {few(sorted(shared))}: {which} {means}"
    for at in sorted({cell for part in extracts for cell in part.broken}):
        about = shorts(part.slug for part in extracts if at in part.broken)
        place = f"what begins at line {at}" if mixed.script else f"code cell {at}"
        unread = "was not read, or not all of it, as it is not Python or too long"
        yield f"{place} of {name} {unread}; it seems to define something of {about}"


def _on_unread(contents: Contents) -> Iterator[str]:
    for encoding, files in contents.encoded.items():
        if files:
            names = few(map("/".join, files))
            yield f"read, though not UTF-8 text but {encoding}; save it as UTF-8: {names}"
    for reason, refused in contents.refused.items():
        yield not_read(map("/".join, refused), reason)


def _on_helpers(contents: Contents) -> Iterator[str]:
    """On files that define what no other does, but are called tests or notes."""
    for helper in contents.helpers:
        names = defined(text_of(helper.content))
        slugs = [slug for slug in exercises() if names & asked_of(slug)]
        if slugs and not contents.answers.keys() & slugs:
            uncounted = f"{shown(helper.path)} does not count for {shorts(slugs)}"
            called = "by its name it is a test, notes or the like"
            yield f"{uncounted}, though it defines something of it: {called}"


def _on_stray(parts: Parts) -> str:
    name, slug = shown("/".join(parts)), short_name(parts[-1]).slug
    if slug:
        short = exercises()[slug].short
        return f"{name} does not count for {short}: it defines nothing that {short} asks for"
    return stray(name, parts[-1].removesuffix(".py"))
