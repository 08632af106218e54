"""Archives in archives: opened in memory, down to a depth, up to a number and a size."""

import io
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import IO

from kata.grading.collecting.archives import LARGEST_UNPACKED, MIB, Entry, RefusedError
from kata.grading.collecting.names import is_container, is_foreign, parts_of
from kata.words import say

DEEPEST_NESTED = 3  # archives around an archive: hand-in.zip/submission.zip/kata.zip/…
MOST_ARCHIVES = 10  # in one folder or archive, with all that is in them

Opener = Callable[[IO[bytes], str], Iterator[Entry]]


@dataclass
class Budget:
    """What may still be opened of one student's work."""

    archives: int = MOST_ARCHIVES
    size: int = LARGEST_UNPACKED  # of archives in archives


def opened_up(
    found: Iterator[Entry], budget: Budget, open_archive: Opener, depth: int = 0
) -> Iterator[Entry]:
    """The entries of an archive, with those of the archives in it."""
    for each in found:
        if each.refused or not _is_to_be_opened(each.path):
            yield each
        elif depth == DEEPEST_NESTED:
            yield replace(each, refused=say("collecting.nested", count=DEEPEST_NESTED))
        elif budget.archives < 1:
            yield replace(each, refused=say("collecting.archives", count=MOST_ARCHIVES))
        else:
            budget.archives -= 1
            yield from _inner(each, budget, open_archive, depth + 1)


def _is_to_be_opened(path: str) -> bool:
    parts = parts_of(path)
    return bool(parts) and is_container(path) and not any(map(is_foreign, parts or ()))


def _inner(outer: Entry, budget: Budget, open_archive: Opener, depth: int) -> Iterator[Entry]:
    """The entries of one archive in another; a damaged one is a single refused entry."""
    try:
        content = outer.read(budget.size)
        if len(content) > budget.size:
            raise RefusedError(say("collecting.unpacked", size=LARGEST_UNPACKED // MIB))
        budget.size -= len(content)
        found = open_archive(io.BytesIO(content), outer.path)
        for each in opened_up(found, budget, open_archive, depth):
            inside = f"{outer.path}/{each.inside}" if each.inside else outer.path
            yield replace(each, inside=inside)
    except RefusedError as error:
        yield Entry(outer.path, refused=str(error))
