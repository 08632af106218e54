"""What one folder, archive or file holds for each exercise, and what the instructor should know."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from itertools import islice

from kata.course.curriculum import exercises
from kata.course.naming import did_you_mean
from kata.course.stubs import stub
from kata.grading.collecting.archives import MIB, MOST, Entry, RefusedError
from kata.grading.collecting.folders import DEEPEST, entries, unreadable
from kata.grading.collecting.names import (
    few,
    is_foreign,
    is_stray,
    label,
    number,
    parts_of,
    shown,
    slug_of,
)
from kata.grading.collecting.students import Location
from kata.words import say

Parts = tuple[str, ...]

LARGEST_WORK = 64 * MIB  # of exercises in one place, all copies together
# Beside `exercises/` these are the kata's own; `solutions/` is the reference.
OURS = {"benchmarks", "bugs", "docs", "kata", "solutions", "tests"}


@dataclass(frozen=True)
class File:
    """A file for an exercise."""

    slug: str
    parts: Parts  # of its path
    content: bytes
    archive: str = ""  # in which it was, in a folder

    @property
    def odd(self) -> bool:
        """Whether it is not called as it should be."""
        return self.parts[-1] != exercises()[self.slug].filename

    @property
    def rank(self) -> tuple[int, ...]:
        """Of those in one place the lowest counts."""
        archive, order = number(self.archive), label(self.parts[-1]).order
        return (bool(self.archive), -archive, -order, self.odd, len(self.parts))


@dataclass(frozen=True)
class Found:
    """What one place holds."""

    place: Location
    pieces: Mapping[str, File]
    notes: tuple[str, ...]
    others: tuple[str, ...]  # files that are for no exercise
    refused: str  # why it could not be read, or not all of it: half of somebody's work is none


@dataclass
class _Found:
    """What has been found so far."""

    seen: int = 0
    size: int = 0
    pieces: list[File] = field(default_factory=list)
    broken: set[str] = field(default_factory=set)  # archives of which nothing counts
    refused: dict[str, list[Parts]] = field(default_factory=dict)
    strays: list[Parts] = field(default_factory=list)
    others: list[Parts] = field(default_factory=list)
    kata: set[Parts] = field(default_factory=set)  # folders with a folder `exercises`


def work(place: Location) -> Found:
    """Look through all of it."""
    found = _Found()
    try:
        for entry in entries(place.path, place.label.file):
            _look(found, entry)
    except RefusedError as error:
        return Found(place, {}, (), (), str(error))
    choices = [_choice(slug, _own(found, slug)) for slug in exercises()]
    pieces = [piece for piece, _ in choices if piece]
    renamed = [] if place.label.decorated else [*_renamed(pieces)]
    notes = [*(note for _, note in choices if note), *renamed, *_notes(found)]
    others = tuple("/".join(each) for each in found.others if not _is_ours(found, each))
    return Found(place, {each.slug: each for each in pieces}, tuple(notes), others, "")


def gist(content: bytes) -> bytes:
    """What is left when the ways of systems to end a line are not looked at."""
    return b"\n".join(content.rstrip().splitlines())


def is_stub(slug: str, content: bytes) -> bool:
    """Whether nothing has been written yet."""
    return gist(content) == _stub(slug)


@cache
def _stub(slug: str) -> bytes:
    return gist(stub(exercises()[slug]).encode())


def _look(found: _Found, entry: Entry) -> None:
    found.seen += 1
    if found.seen > MOST:
        raise RefusedError(say("collecting.many", count=MOST))
    if entry.path.endswith("/"):
        return
    inner, outer = parts_of(entry.path), parts_of(entry.inside) or ()
    if inner is None:
        _refuse(found, say("collecting.outside"), (*outer, entry.path))
    elif inner and not any(map(is_foreign, inner)) and len(outer + inner) <= DEEPEST + 1:
        _sort_in(found, entry, outer + inner)


def _sort_in(found: _Found, entry: Entry, parts: Parts) -> None:
    if "exercises" in parts[:-1]:
        found.kata.add(parts[: parts.index("exercises")])
    if entry.refused:
        _refuse(found, entry.refused, parts)
    elif slug := slug_of(_plain(parts[-1])):
        _take(found, entry, parts, slug)
    else:
        (found.strays if is_stray(parts[-1]) else found.others).append(parts)


def _plain(name: str) -> str:
    """A file's own name, also if somebody has sorted Canvas' files into folders as they were."""
    said = label(name)
    return said.file if said.numbered else name


def _refuse(found: _Found, reason: str, parts: Parts) -> None:
    found.broken.add("/".join(parts))
    found.refused.setdefault(reason, []).append(parts)


def _take(found: _Found, entry: Entry, parts: Parts, slug: str) -> None:
    archive = parts_of(entry.inside) or ()
    try:
        content = entry.read()
    except OSError as error:
        return _refuse(found, unreadable(error), parts)
    except RefusedError as error:
        if not archive:
            raise
        return _refuse(found, str(error), archive)
    found.size += len(content)
    if found.size > LARGEST_WORK:
        raise RefusedError(say("collecting.unpacked", size=LARGEST_WORK // MIB))
    found.pieces.append(File(slug, parts, content, "/".join(archive)))
    return None


def _is_ours(found: _Found, parts: Parts) -> bool:
    """Whether it is one of the kata's own files, in a copy of all of it."""
    folders = range(len(parts) - 1)
    return any(parts[each] in OURS and parts[:each] in found.kata for each in folders)


def _own(found: _Found, slug: str) -> list[File]:
    return [
        each
        for each in found.pieces
        if each.slug == slug
        and each.archive not in found.broken
        and not _is_ours(found, each.parts)
    ]


def _choice(slug: str, pieces: list[File]) -> tuple[File | None, str]:
    """The one that counts, and a line if another one says something else.

    That is the one by the exercise's own name, furthest up, not in an archive; a stub never counts
    against what was written. Two between which nothing decides count both for nothing.
    """
    written = [each for each in pieces if not is_stub(slug, each.content)] or pieces
    if not written:
        return None, ""
    best = min(written, key=lambda each: each.rank)
    others = [each for each in written if gist(each.content) != gist(best.content)]
    filename = exercises()[slug].filename
    if rivals := [each for each in others if each.rank == best.rank]:
        return None, say("collecting.twice", filename=filename, names=_paths([best, *rivals]))
    left = say("collecting.taken", filename=filename, taken=_paths([best]), left=_paths(others))
    return best, left if others else ""


def _paths(pieces: Iterable[File]) -> str:
    return few("/".join(each.parts) for each in pieces)


def _renamed(pieces: list[File]) -> Iterator[str]:
    for each in pieces:
        if each.odd:
            filename = exercises()[each.slug].filename
            yield say("collecting.renamed", name=shown(each.parts[-1]), filename=filename)


def _notes(found: _Found) -> Iterator[str]:
    for reason, refused in found.refused.items():
        if own := ["/".join(each) for each in refused if not _is_ours(found, each)]:
            yield say("collecting.left", names=few(own), reason=reason)
    strays = (each for each in found.strays if not _is_ours(found, each))
    for parts in islice(strays, len(exercises())):  # no more than can be meant
        close = did_you_mean(parts[-1].removesuffix(".py"), list(exercises()))
        yield say("course.stray", name=shown("/".join(parts)), close=close)
