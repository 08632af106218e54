"""Which file counts for each exercise in one folder or archive, and notes for the instructor."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import islice

from kata.course.curriculum import exercises
from kata.course.naming import did_you_mean
from kata.course.notebooks.notebook_file import LARGEST_NOTEBOOK, Notebook, NotebookError, notebook
from kata.course.source import LARGEST, UnusableError, decoded, not_started, parse
from kata.course.stubs import stub
from kata.grading.collecting.archives import MIB, MOST, Entry, RefusedError
from kata.grading.collecting.exports import name_parts
from kata.grading.collecting.folders import DEEPEST, entries, unreadable
from kata.grading.collecting.names import (
    few,
    is_foreign,
    is_notebook,
    is_stray,
    number,
    parts_of,
    slug_of,
)
from kata.grading.collecting.notebooks import Taken, exercises_in
from kata.grading.collecting.places import Location
from kata.text import shown
from kata.words import say

Parts = tuple[str, ...]

LARGEST_WORK = 64 * MIB  # of all exercises in one place, with all copies
MOST_NOTEBOOKS = 50  # in one place
PROOFS = "proofs"
TESTS = re.compile(rb"^def test_", re.MULTILINE)
OF_EXERCISES = re.compile(rb"^(?:from|import) exercises\b", re.MULTILINE)
# Next to `exercises/`, these folders belong to the kata, not to the student.
OURS = {"benchmarks", "bugs", "docs", "kata", "solutions", "tests"}


@dataclass(frozen=True)
class File:
    """A file for an exercise, or what a notebook holds of it."""

    slug: str
    parts: Parts  # of its path
    content: bytes
    archive: str = ""  # that contains it, if that lies in a folder
    taken: Taken | None = None  # if it is from a notebook

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
    def rank(self) -> tuple[int, ...]:
        """Of several files for one exercise in one place, the lowest rank counts."""
        archive, order = number(self.archive), name_parts(self.parts[-1]).order
        place = (bool(self.archive), -archive, -order)
        return (*place, *self.kind, self.renamed, len(self.parts))

    @property
    def kind(self) -> tuple[int, int]:
        """Files come first, then notebooks by what their names say and by how much they define."""
        if self.taken is None:
            return (0, 0)
        return ({True: 1, False: 2, None: 3}[self.taken.named], len(self.taken.missing))


@dataclass(frozen=True)
class Found:
    """What one place holds."""

    place: Location
    files: Mapping[str, File]  # by exercise
    proofs: Mapping[str, File]  # by exercise
    notes: tuple[str, ...]
    others: tuple[str, ...]  # files that belong to no exercise
    refused: str  # why it could not be read to the end; then nothing in it counts


@dataclass
class _Search:
    """What has been found so far in one place."""

    seen: int = 0
    size: int = 0
    files: list[File] = field(default_factory=list)
    proofs: list[File] = field(default_factory=list)
    notebooks: list[tuple[File, Notebook]] = field(default_factory=list)
    broken: set[str] = field(default_factory=set)  # archives in which nothing counts
    refused: dict[str, list[Parts]] = field(default_factory=dict)
    strays: list[Parts] = field(default_factory=list)
    others: list[Parts] = field(default_factory=list)
    kata: set[Parts] = field(default_factory=set)  # folders that contain a folder `exercises`


def look_through(place: Location) -> Found:
    """Everything that counts in this place, and notes about the rest."""
    search = _Search()
    try:
        for entry in entries(place.path, place.label.file):
            _look_at(search, entry)
    except RefusedError as error:
        return Found(place, {}, {}, (), (), str(error))
    search.files += _from_notebooks(search)
    choices = [_choice(slug, _candidates(search, search.files, slug)) for slug in exercises()]
    proofs = [_choice(slug, _candidates(search, search.proofs, slug)) for slug in exercises()]
    files = [file for file, _ in choices if file]
    renamed = [] if place.label.decorated else [*_renamed(files)]
    renamed += [*_on_notebooks(search, files)]
    notes = [*(note for _, note in (*choices, *proofs) if note), *renamed, *_notes(search)]
    others = tuple("/".join(each) for each in search.others if not _is_ours(search, each))
    proven = {each.slug: each for each, _ in proofs if each}
    return Found(place, {each.slug: each for each in files}, proven, tuple(notes), others, "")


def normalized(content: bytes) -> bytes:
    """The content with the same line endings on every system."""
    return b"\n".join(content.rstrip().splitlines())


def is_stub(slug: str, content: bytes) -> bool:
    """Whether nothing has been written yet."""
    return normalized(content) == _stub(slug)


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


@cache
def _stub(slug: str) -> bytes:
    return normalized(stub(exercises()[slug]).encode())


def _look_at(search: _Search, entry: Entry) -> None:
    search.seen += 1
    if search.seen > MOST:
        raise RefusedError(say("collecting.many", count=MOST))
    if entry.path.endswith("/"):
        return
    inner, outer = parts_of(entry.path), parts_of(entry.inside) or ()
    if inner is None:
        _refuse(search, say("collecting.outside"), (*outer, entry.path))
    elif inner and not any(map(is_foreign, inner)) and len(outer + inner) <= DEEPEST + 1:
        _sort_in(search, entry, outer + inner)


def _sort_in(search: _Search, entry: Entry, parts: Parts) -> None:
    if "exercises" in parts[:-1]:
        search.kata.add(parts[: parts.index("exercises")])
    if entry.refused:
        _refuse(search, entry.refused, parts)
    elif is_notebook(parts[-1]):
        _open_notebook(search, entry, parts)
    elif slug := slug_of(_own_name(parts[-1])):
        _take(search, entry, parts, slug)
    else:
        (search.strays if is_stray(parts[-1]) else search.others).append(parts)


def _own_name(name: str) -> str:
    """The student's name for a file, also if Canvas' files were sorted into folders by hand."""
    parts = name_parts(name)
    return parts.file if parts.numbered else name


def _refuse(search: _Search, reason: str, parts: Parts) -> None:
    search.broken.add("/".join(parts))
    search.refused.setdefault(reason, []).append(parts)


def _take(search: _Search, entry: Entry, parts: Parts, slug: str) -> None:
    content = _read(search, entry, parts, LARGEST)
    if content is not None:
        _count(search, len(content))
        found = search.proofs if _is_proof(parts, content) else search.files
        found.append(File(slug, parts, content, _archive(entry)))


def _is_proof(parts: Parts, content: bytes) -> bool:
    """Whether it is tests of an exercise: some platforms take no folders, so its text tells, too.

    No file of an exercise may import in this way.
    """
    return PROOFS in parts[-2:-1] or bool(TESTS.search(content) and OF_EXERCISES.search(content))


def _open_notebook(search: _Search, entry: Entry, parts: Parts) -> None:
    """Keep the code of a notebook; what cannot be read is a note, and costs nothing else."""
    if len(search.notebooks) >= MOST_NOTEBOOKS:
        return _refuse(search, say("collecting.notebooks", count=MOST_NOTEBOOKS), parts)
    content = _read(search, entry, parts, LARGEST_NOTEBOOK)
    if content is None:
        return None
    try:
        found = notebook(content)
    except NotebookError as error:
        return _refuse(search, str(error), parts)
    _count(search, sum(len(each.text) for each in found.cells))
    search.notebooks.append((File("", parts, b"", _archive(entry)), found))
    return None


def _read(search: _Search, entry: Entry, parts: Parts, limit: int) -> bytes | None:
    """The content; None if it cannot be read, which is noted."""
    try:
        return entry.read(limit)
    except OSError as error:
        _refuse(search, unreadable(error), parts)
    except RefusedError as error:
        if not entry.inside:
            raise
        _refuse(search, str(error), parts_of(entry.inside) or ())
    return None


def _count(search: _Search, size: int) -> None:
    search.size += size
    if search.size > LARGEST_WORK:
        raise RefusedError(say("collecting.unpacked", size=LARGEST_WORK // MIB))


def _archive(entry: Entry) -> str:
    """The archive that contains it, if that lies in a folder."""
    return "/".join(parts_of(entry.inside) or ())


def _from_notebooks(search: _Search) -> Iterator[File]:
    for file, found in search.notebooks:
        if file.archive in search.broken or _is_ours(search, file.parts):
            continue
        held = exercises_in(_own_name(file.parts[-1]), found)
        if not held:
            search.others.append(file.parts)
        for each in held:
            yield replace(file, slug=each.slug, content=each.text, taken=each)


def _is_ours(search: _Search, parts: Parts) -> bool:
    """Whether it is one of the kata's own files, because the whole kata was handed in."""
    folders = range(len(parts) - 1)
    return any(parts[each] in OURS and parts[:each] in search.kata for each in folders)


def _candidates(search: _Search, files: list[File], slug: str) -> list[File]:
    return [
        each
        for each in files
        if each.slug == slug
        and each.archive not in search.broken
        and not _is_ours(search, each.parts)
    ]


def _choice(slug: str, files: list[File]) -> tuple[File | None, str]:
    """The file that counts, and a note if another one differs from it.

    Files outside of archives come first, then later uploads, then files before notebooks, then the
    exercise's own filename, then fewer folders. Dates are not looked at: exports change them. A
    stub never replaces written work. If nothing ranks two files that differ, neither counts.
    """
    written = written_among(files)
    if not written:
        return None, ""
    best = min(written, key=lambda each: each.rank)
    others = [each for each in written if normalized(each.content) != normalized(best.content)]
    exercise = exercises()[slug]
    filename = exercise.short if any(each.taken for each in written) else exercise.filename
    if rivals := [each for each in others if each.rank == best.rank]:
        return None, say("collecting.twice", filename=filename, names=_paths([best, *rivals]))
    left = say("collecting.taken", filename=filename, taken=_paths([best]), left=_paths(others))
    return best, left if others else ""


def written_among(files: list[File]) -> list[File]:
    """Those in which anything is written; if in none, the files, which notebooks only repeat."""
    if len(files) < 2:
        return files
    begun = [each for each in files if each.begun]
    return begun or [each for each in files if not each.taken] or files[:1]


def _paths(files: Iterable[File]) -> str:
    return few("/".join(each.parts) for each in files)


def _renamed(files: list[File]) -> Iterator[str]:
    for each in files:
        if each.renamed and not each.taken:
            filename = exercises()[each.slug].filename
            yield say("collecting.renamed", name=shown(each.parts[-1]), filename=filename)


def _on_notebooks(search: _Search, files: list[File]) -> Iterator[str]:
    """What each notebook counts for, if its name does not say it, and what of it does not count."""
    for notebook_file, found in search.notebooks:
        taken = [each.taken for each in files if each.taken and each.parts == notebook_file.parts]
        name = shown("/".join(notebook_file.parts))
        if told := [each.slug for each in taken if not each.named]:
            yield say("collecting.notebook", name=name, shorts=_shorts(told))
        if taken and found.odd:
            yield say("collecting.odd-cells", name=name, count=found.odd)
        if shared := {each for part in taken for each in part.shared}:
            yield say("collecting.shared", name=name, names=few(sorted(shared)))
        yield from _on_cells(name, taken)


def _on_cells(name: str, taken: list[Taken]) -> Iterator[str]:
    """On cells that seem to define something, but cannot be read."""
    for cell in sorted({cell for each in taken for cell in each.broken}):
        slugs = [each.slug for each in taken if cell in each.broken]
        yield say("collecting.not-python", name=name, cell=cell, shorts=_shorts(slugs))


def _shorts(slugs: Iterable[str]) -> str:
    return ", ".join(exercises()[slug].short for slug in slugs)


def _notes(search: _Search) -> Iterator[str]:
    for reason, refused in search.refused.items():
        if own := ["/".join(each) for each in refused if not _is_ours(search, each)]:
            yield say("collecting.left", names=few(own), reason=reason)
    strays = (each for each in search.strays if not _is_ours(search, each))
    for parts in islice(strays, len(exercises())):  # no more than there are exercises
        close = did_you_mean(parts[-1].removesuffix(".py"), list(exercises()))
        yield say("course.stray", name=shown("/".join(parts)), close=close)
