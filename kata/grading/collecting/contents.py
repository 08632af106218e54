"""What one folder or archive holds, with notes on what was decided about its files."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice

from kata.course.curriculum import exercises
from kata.course.naming import did_you_mean
from kata.grading.collecting.entries import RefusedError, entries
from kata.grading.collecting.files import File, Parts
from kata.grading.collecting.names import few, short_name, shorts
from kata.grading.collecting.places import Location
from kata.grading.collecting.python_files import text_of
from kata.grading.collecting.scripts import asked_of, defined
from kata.grading.collecting.search import Search, not_read
from kata.text import shown
from kata.words import say


@dataclass(frozen=True)
class Contents:
    """What one place holds."""

    place: Location
    files: Mapping[str, File] = field(default_factory=dict)  # by exercise
    proofs: Mapping[str, File] = field(default_factory=dict)  # by exercise
    notes: tuple[str, ...] = ()
    others: tuple[str, ...] = ()  # files that belong to no exercise
    refused: str = ""  # why it could not be read to the end; then nothing in it counts
    modules: tuple[File, ...] = ()  # Python files that an answer may import by their names
    unread: Mapping[str, str] = field(default_factory=dict)  # by exercise, why its file is not read


def contents(place: Location) -> Contents:
    """Everything that counts in this place, and notes about the rest."""
    search = Search()
    try:
        for entry in entries(place.path, place.label.file):
            search.look_at(entry)
    except RefusedError as error:
        return Contents(place, refused=str(error))
    search.look_into()
    choices = {slug: search.choice(slug, search.files) for slug in exercises()}
    proofs = {slug: search.choice(slug, search.proofs) for slug in exercises()}
    files = {slug: file for slug, (file, _) in choices.items() if file}
    unread = {slug: note for slug, (file, note) in choices.items() if note and not file}
    notes = [note for _, note in (*choices.values(), *proofs.values()) if note]
    notes += _on_names(files, decorated=place.label.decorated)
    notes += [*_on_mixed(search, files), *_on_unread(search), *_on_helpers(search, files)]
    strays = (parts for parts in search.strays if not search.is_ours(parts))
    notes += map(_on_stray, islice(strays, len(exercises())))  # no more than there are exercises
    return Contents(
        place,
        files,
        {slug: file for slug, (file, _) in proofs.items() if file},
        tuple(notes),
        tuple(search.paths(search.others)),
        modules=tuple(filter(search.counts, search.modules)),
        unread=unread | search.unread({*unread, *files}),
    )


def _on_names(files: Mapping[str, File], *, decorated: bool) -> Iterator[str]:
    """Which files count though they have other names; a platform's additions are no news."""
    whole = {slug: file for slug, file in files.items() if not file.taken}
    for slug, file in whole.items():
        if file.renamed and not file.short and not decorated:
            yield f"{shown(file.parts[-1])} counts as {exercises()[slug].filename}"
    if short := [file.path for file in whole.values() if file.short]:
        claim = "count for the exercises in their names, as they define what these ask for"
        yield f"{claim}: {few(short)}"


def _on_mixed(search: Search, files: Mapping[str, File]) -> Iterator[str]:
    """On notebooks and on files with several exercises: what they count for, and what does not."""
    for parts, slug in search.swapped.items():
        if counts := shorts(other for other, file in files.items() if file.parts == parts):
            short = exercises()[slug].short
            defines = f"it defines what {counts} asks for, and nothing of {short}"
            yield f"{shown('/'.join(parts))} counts for {counts}, not for {short}: {defines}"
    odd = {file.parts: book.odd for file, book in search.notebooks}
    for mixed in (*(file for file, _ in search.notebooks), *search.scripts, *search.spares):
        if mixed.parts not in search.swapped:
            yield from _on_one(mixed, files, odd.get(mixed.parts, 0))


def _on_one(mixed: File, files: Mapping[str, File], odd: int) -> Iterator[str]:
    taken = [file.taken for file in files.values() if file.taken and file.parts == mixed.parts]
    name = shown(mixed.path)
    if news := [part.slug for part in taken if mixed.script or not part.named]:
        yield f"{name} counts for {shorts(news)}"
    if taken and odd:
        yield f"{name} lists things that are not cells, which were left out: {odd}"
    if shared := {asked for part in taken for asked in part.shared}:
        parts = "definitions" if mixed.script else "cells"
        which = f"which {parts} {'in' if mixed.script else 'of'} {name} are for which was told by"
        means = "headings or libraries" if mixed.script else "names, tags or libraries"
        yield f"several exercises ask for {few(sorted(shared))}: {which} {means}"
    for at in sorted({cell for part in taken for cell in part.broken}):
        about = shorts(part.slug for part in taken if at in part.broken)
        place = f"what begins at line {at}" if mixed.script else f"code cell {at}"
        unread = "was not read, or not all of it, as it is not Python or too long"
        yield f"{place} of {name} {unread}; it seems to define something of {about}"


def _on_unread(search: Search) -> Iterator[str]:
    for encoding, files in search.encoded.items():
        if own := search.paths(files):
            yield f"read, though not UTF-8 text but {encoding}; save it as UTF-8: {few(own)}"
    for reason, files in search.refused.items():
        if own := search.paths(files):
            yield not_read(own, reason)


def _on_helpers(search: Search, files: Mapping[str, File]) -> Iterator[str]:
    """On files that define what no other does, but are called tests or notes."""
    for helper in filter(search.counts, search.helpers):
        names = defined(text_of(helper.content))
        slugs = [slug for slug in exercises() if names & asked_of(slug)]
        if slugs and not {*files} & {*slugs}:
            uncounted = f"{shown(helper.path)} does not count for {shorts(slugs)}"
            called = "by its name it is a test, notes or the like"
            yield f"{uncounted}, though it defines something of it: {called}"


def _on_stray(parts: Parts) -> str:
    name, slug = shown("/".join(parts)), short_name(parts[-1]).slug
    if slug:
        short = exercises()[slug].short
        return f"{name} does not count for {short}: it defines nothing that {short} asks for"
    close = did_you_mean(parts[-1].removesuffix(".py"), list(exercises()))
    return say("course.stray", name=name, close=close)
