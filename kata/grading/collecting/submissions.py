"""What was handed in: `for each in handed_in(path)`, one student at a time.

Nothing that a student hands in can stop this: what cannot be read becomes a note about the student.
What is hostile may take long, or crash Python: `reading` reads in a process with limits.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path

from kata.course.curriculum import exercises
from kata.grading.collecting.bounded import Reader, UnreadError
from kata.grading.collecting.names import few
from kata.grading.collecting.one_place.choosing import written_among
from kata.grading.collecting.one_place.files import File, Found, own_name, preferred
from kata.grading.collecting.one_place.joining import joined, note
from kata.grading.collecting.one_place.looking import look_through
from kata.grading.collecting.one_place.stubs import normalized
from kata.grading.collecting.own_modules import Whole, with_modules
from kata.grading.collecting.places import Location
from kata.grading.collecting.students import IntakeError, Student, listing
from kata.grading.collecting.versions import orders
from kata.text import shown
from kata.words import say

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
        for slug in sorted(self.files):
            content = self.files[slug]
            total.update(f"\0{slug}\0{len(content)}\0".encode() + content)
            if slug in self.notebooks:
                total.update(repr(self.notebooks[slug]).encode("utf-8", "backslashreplace"))
        for slug, reason in sorted(self.unread.items()):
            total.update(f"\0unread {slug} {reason}\0".encode("utf-8", "backslashreplace"))
        for slug in sorted(self.proofs):
            content = self.proofs[slug]
            total.update(f"\0proof {slug}\0{len(content)}\0".encode() + content)
        return total.hexdigest()


@dataclass(frozen=True)
class Choice:
    """The file that counts for one exercise, of those in all places of a student."""

    slug: str
    file: File
    place: Location
    rivals: tuple[Location, ...] = ()  # that hold a different file and are just as late
    earlier: tuple[Location, ...] = ()  # that hold a different file
    beside: tuple[Location, ...] = ()  # just as late, but notebooks that say less
    note: str = ""  # on what it was put together from


def handed_in(path: Path) -> Iterator[HandedIn]:
    """All students' work, read one by one; raises IntakeError at once if there is none."""
    return map(read, listing(path))


@contextmanager
def reading() -> Iterator[Callable[[Student], HandedIn]]:
    """Read in a process with limits; what exceeds them is a problem of this student alone."""
    with closing(Reader()) as reader:

        def bounded(student: Student) -> HandedIn:
            try:
                found: HandedIn = reader.ask("read", student)
            except UnreadError as error:
                return HandedIn(student.name, {}, tuple(student.notes), str(error), student.id)
            return found

        yield bounded


def read(student: Student) -> HandedIn:
    """The work of one student, from all places where it is.

    If two places hold different files for one exercise, the later one counts, where names tell
    which is later: Canvas numbers its files, Blackboard adds the date, `alice (1).zip` came after
    `alice.zip`. A stub never replaces written work. If the names do not tell, a file counts before
    a notebook; of two files nothing is graded: the instructor decides.
    """
    found = [look_through(place) for place in student.places]
    files = [(each.place, each.files) for each in found]
    choices = [each for slug in exercises() if (each := _choice(slug, files))]
    proofs = [(each.place, each.proofs) for each in found]
    proven = [each for slug in exercises() if (each := _choice(slug, proofs))]
    named = tuple(student.notes)
    notes = [*_refused(found), *(note for each in found for note in each.notes)]
    if not (choices or proven):
        nothing = "; ".join(_nothing(found, notes))
        return HandedIn(student.name, {}, named, nothing, student.id)
    if problem := _unclear([*choices, *proven]):
        return HandedIn(student.name, {}, (*named, *notes), problem, student.id)
    by_time = sorted(found, key=lambda each: each.place.label.order)
    modules = [module for each in by_time for module in each.modules]
    wholes = {each.slug: whole for each in choices
              if (whole := with_modules(each.file, modules))}  # fmt: skip
    notes += [*filter(None, (each.note for each in choices))]
    notes += [each.note for each in wholes.values()]
    several = [*_later(choices), *_beside(choices)] or [*_parts(student)]
    return HandedIn(
        student.name,
        {each.slug: each.file.content for each in choices}
        | {slug: each.content for slug, each in wholes.items()},
        (*named, *several, *notes),
        id=student.id,
        notebooks=_notebooks(choices, wholes),
        proofs={each.slug: each.file.content for each in proven},
        unread=_unread(found, choices),
    )


def _unread(found: Iterable[Found], choices: Iterable[Choice]) -> dict[str, str]:
    counting = {each.slug for each in choices}
    every = (each for place in found for each in place.unread.items())
    return {slug: reason for slug, reason in every if slug not in counting}


def _notebooks(choices: Iterable[Choice], wholes: Mapping[str, Whole]) -> dict[str, FromNotebook]:
    files = [each.file for each in choices if each.file.taken or each.slug in wholes]
    return {each.slug: _origin(each, wholes.get(each.slug)) for each in files}


def _origin(file: File, whole: Whole | None) -> FromNotebook:
    name = shown(own_name(file.parts[-1]))
    cells = file.taken.places if file.taken else {}
    script = file.script or not file.taken
    if not whole:
        return FromNotebook(name, cells, script, file.elsewhere)
    own = {at: line for at, (number, line) in whole.places.items() if not number}
    places = {at: cells.get(line, (1, line)) for at, line in own.items()
              if line in cells or not file.taken}  # fmt: skip
    modules = {at: (shown(whole.modules[number - 1]), line)
               for at, (number, line) in whole.places.items() if number}  # fmt: skip
    modules |= {at: file.elsewhere[line] for at, line in own.items() if line in file.elsewhere}
    return FromNotebook(name, places, script, modules)


def _choice(slug: str, found: list[tuple[Location, Mapping[str, File]]]) -> Choice | None:
    there = [(place, files[slug]) for place, files in found if slug in files]
    if len(there) == 1:  # nearly always
        return Choice(slug, there[0][1], there[0][0])
    kept = preferred(file for _, file in there)
    candidates = [(place, file) for place, file in there if file in kept]
    written = written_among([file for _, file in candidates])
    if not written:
        return None
    parts = [file for _, file in candidates if file in written]
    if whole := joined(slug, parts):
        return Choice(slug, whole, candidates[0][0], note=note(slug, parts))
    names = orders([own_name(file.parts[-1]) for _, file in candidates])
    ranked = [(_rank(place, file, order), place, file)
              for (place, file), order in zip(candidates, names, strict=True)
              if file in written]  # fmt: skip
    best, taken, chosen = min(ranked, key=lambda each: each[0])
    same = normalized(chosen.content)
    others = [(rank, place) for rank, place, file in ranked if normalized(file.content) != same]
    return Choice(
        slug,
        chosen,
        taken,
        rivals=tuple(place for rank, place in others if rank == best),
        earlier=tuple(place for rank, place in others if rank[0] > best[0]),
        beside=tuple(place for rank, place in others if rank[0] == best[0] and rank != best),
    )


def _rank(place: Location, file: File, order: tuple[int, int]) -> tuple[int, ...]:
    """The lowest counts: the latest, and of those just as late a file before a notebook."""
    return (-place.label.order, *file.kind, *(-each for each in order))


def _unclear(choices: list[Choice]) -> str:
    """Why work that was handed in more than once cannot be graded: no name tells which is later."""
    unclear = [each for each in choices if each.rivals]
    names = few(place.shown for each in unclear for place in (each.place, *each.rivals))
    return say("collecting.unclear", names=names, shorts=_shorts(unclear)) if unclear else ""


def _later(choices: list[Choice]) -> Iterator[str]:
    """A note for each place from which a later version was taken."""
    replaced: dict[tuple[Location, tuple[Location, ...]], list[Choice]] = {}
    for each in choices:
        if each.earlier:
            replaced.setdefault((each.place, each.earlier), []).append(each)
    for (taken, earlier), about in replaced.items():
        left, names = few(each.shown for each in earlier), few([taken.shown])
        yield say("collecting.later", taken=names, left=left, shorts=_shorts(about))


def _beside(choices: list[Choice]) -> Iterator[str]:
    """A note for each notebook that does not count because a file does, or one that says more."""
    left: dict[tuple[Location, tuple[Location, ...]], list[Choice]] = {}
    for each in choices:
        if each.beside:
            left.setdefault((each.place, each.beside), []).append(each)
    for (taken, beside), about in left.items():
        names = few(each.shown for each in beside)
        shorts = _shorts(about)
        yield say("collecting.beside", taken=few([taken.shown]), left=names, shorts=shorts)


def _shorts(choices: Iterable[Choice]) -> str:
    return ", ".join(exercises()[each.slug].short for each in choices)


def _parts(student: Student) -> Iterator[str]:
    """A note if the work is in several places, unless a learning platform put it there."""
    if len(student.places) > 1 and not any(each.label.decorated for each in student.places):
        yield say("collecting.parts", names=few(each.shown for each in student.places))


def _refused(found: list[Found]) -> Iterator[str]:
    for each in found:
        if each.refused and len(found) == 1:
            yield each.refused
        elif each.refused:
            yield say("collecting.left", names=few([each.place.shown]), reason=each.refused)


def _nothing(found: list[Found], notes: list[str]) -> Iterator[str]:
    """Why there is nothing to grade: what was found instead, and what could not be read."""
    others = few(name for each in found for name in each.others)
    if not any(each.refused for each in found):
        yield say(
            "collecting.nothing", holds=say("collecting.holds", names=others) if others else ""
        )
    yield from notes
