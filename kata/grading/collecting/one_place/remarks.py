"""Notes about one folder or archive: what was decided about its files, and what is not read."""

from collections.abc import Iterable, Iterator
from itertools import islice

from kata.course.curriculum import exercises
from kata.course.naming import did_you_mean
from kata.course.source import contract
from kata.grading.collecting.handed_text.scripts import defined, text_of
from kata.grading.collecting.handed_text.short_names import short_name
from kata.grading.collecting.names import few
from kata.grading.collecting.notebooks import Taken
from kata.grading.collecting.one_place.files import File, Parts, Search
from kata.text import shown
from kata.words import say


def on_names(files: list[File], *, decorated: bool) -> Iterator[str]:
    """Which files count though they have other names; a platform's additions are no news."""
    whole = [each for each in files if not each.taken]
    for each in whole:
        if each.renamed and not each.short and not decorated:
            filename = exercises()[each.slug].filename
            yield say("collecting.renamed", name=shown(each.parts[-1]), filename=filename)
    if short := ["/".join(each.parts) for each in whole if each.short]:
        yield say("collecting.short-names", names=few(short))


def on_mixed(search: Search, files: list[File]) -> Iterator[str]:
    """On notebooks and on files with several exercises: what they count for, and what does not."""
    for parts, slug in search.swapped.items():
        if counts := _shorts(each.slug for each in files if each.parts == parts):
            name, short = shown("/".join(parts)), exercises()[slug].short
            yield say("collecting.swapped", name=name, shorts=counts, short=short)
    odd = {found.parts: book.odd for found, book in search.notebooks}
    for each in (*(found for found, _ in search.notebooks), *search.scripts, *search.spares):
        taken = [file for file in files if file.taken and file.parts == each.parts]
        if each.parts not in search.swapped:
            yield from _on_one(each, taken, odd.get(each.parts, 0))


def _on_one(file: File, files: list[File], odd: int) -> Iterator[str]:
    taken = [each.taken for each in files if each.taken]
    name = shown("/".join(file.parts))
    if told := [each.slug for each in taken if file.script or not each.named]:
        yield say("collecting.notebook", name=name, shorts=_shorts(told))
    if taken and odd:
        yield say("collecting.odd-cells", name=name, count=odd)
    if shared := {each for part in taken for each in part.shared}:
        key = "collecting.shared-script" if file.script else "collecting.shared"
        yield say(key, name=name, names=few(sorted(shared)))
    yield from _on_broken(name, taken, "not-python-lines" if file.script else "not-python")


def _on_broken(name: str, taken: list[Taken], key: str) -> Iterator[str]:
    """On cells, or lines, that seem to define something, but cannot be read."""
    for cell in sorted({cell for each in taken for cell in each.broken}):
        slugs = [each.slug for each in taken if cell in each.broken]
        yield say(f"collecting.{key}", name=name, cell=cell, shorts=_shorts(slugs))


def _shorts(slugs: Iterable[str]) -> str:
    return ", ".join(exercises()[slug].short for slug in slugs)


def on_the_rest(search: Search, files: list[File]) -> Iterator[str]:
    """On what is not read, and on names that no exercise has."""
    for name, parts in search.encoded.items():
        if own := ["/".join(each) for each in parts if not search.is_ours(each)]:
            yield say("collecting.encoded", names=few(own), encoding=name)
    for reason, refused in search.refused.items():
        if own := ["/".join(each) for each in refused if not search.is_ours(each)]:
            yield say("collecting.left", names=few(own), reason=reason)
    yield from _on_helpers(search, files)
    strays = (each for each in search.strays if not search.is_ours(each))
    yield from map(_on_stray, islice(strays, len(exercises())))  # no more than there are exercises


def _on_helpers(search: Search, files: list[File]) -> Iterator[str]:
    """On files that define what no other does, but are called tests or notes."""
    there = {each.slug for each in files}
    for each in search.helpers:
        names = defined(text_of(each.content)) if search.counts(each) else set()
        slugs = [slug for slug, e in exercises().items() if names & {*contract(e).names}]
        if slugs and not there & {*slugs}:
            name = shown("/".join(each.parts))
            yield say("collecting.helper", name=name, shorts=_shorts(slugs))


def _on_stray(parts: Parts) -> str:
    named = short_name(parts[-1])
    name = shown("/".join(parts))
    if named.slug:
        return say("collecting.defines-nothing", name=name, short=exercises()[named.slug].short)
    close = did_you_mean(parts[-1].removesuffix(".py"), list(exercises()))
    return say("course.stray", name=name, close=close)
