"""Folders and files, which may be hostile: no link is followed, and no pipe is waited for."""

import os
import stat
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import IO

from kata.grading.collecting.archives import MOST, Entry, RefusedError, archived, refusal
from kata.grading.collecting.names import is_archive, is_foreign
from kata.grading.collecting.packed.nested import MOST_ARCHIVES, Budget, opened_up
from kata.words import say

DEEPEST = 5  # folders above a file: one for an archive, those of the kata, and one more


def entries(path: Path, name: str, budget: Budget | None = None) -> Iterator[Entry]:
    """Everything in a folder or an archive; for a plain file, itself under this name."""
    budget = budget or Budget()
    try:
        mode = path.lstat().st_mode
        if stat.S_ISDIR(mode):
            yield from _in_folder(path, budget)
        elif kind := refusal(mode):
            raise RefusedError(kind)
        elif is_archive(name):
            with opened(path) as file:
                yield from opened_up(archived(file, name), budget, archived)
        else:
            yield Entry(name, partial(_content, path))
    except OSError as error:
        raise RefusedError(unreadable(error)) from None


def opened(path: Path) -> IO[bytes]:
    """A plain file, opened; an error at once for anything else."""
    flags = ("O_NOFOLLOW", "O_NONBLOCK", "O_BINARY")  # not every system has all of them
    number = os.open(path, sum(getattr(os, each, 0) for each in flags) | os.O_RDONLY)
    file = os.fdopen(number, "rb")
    if kind := refusal(os.fstat(number).st_mode):  # it may have changed since it was listed
        file.close()
        raise RefusedError(kind)
    return file


def unreadable(error: Exception) -> str:
    """The operating system's error, in a message of ours."""
    return say("collecting.closed", reason=getattr(error, "strerror", None) or error)


def _listed(folder: Path) -> list[os.DirEntry[str]]:
    with os.scandir(folder) as found:
        there = sorted(islice(found, MOST + 1), key=lambda each: each.name)
    return [each for each in there if not is_foreign(each.name)]


def _content(path: Path, limit: int) -> bytes:
    with opened(path) as file:
        return file.read(limit + 1)


def _in_folder(folder: Path, budget: Budget) -> Iterator[Entry]:
    for entry in _walk(folder, ()):
        if entry.refused or not is_archive(entry.path):
            yield entry
        elif budget.archives > 0:
            budget.archives -= 1
            yield from _nested(folder, entry.path, budget)
        else:
            yield replace(entry, refused=say("collecting.archives", count=MOST_ARCHIVES))


def _nested(folder: Path, path: str, budget: Budget) -> Iterator[Entry]:
    """The entries of an archive in a folder; a damaged one is a single refused entry."""
    try:
        for each in entries(folder / path, path, budget):
            yield replace(each, inside=f"{path}/{each.inside}" if each.inside else path)
    except RefusedError as error:
        yield Entry(path, refused=str(error))


def _walk(folder: Path, above: tuple[str, ...]) -> Iterator[Entry]:
    for each in _listed(folder):
        path = "/".join((*above, each.name))
        if not each.is_dir(follow_symlinks=False):
            kind = refusal(each.stat(follow_symlinks=False).st_mode)
            yield Entry(path, partial(_content, Path(each.path)), kind)
        elif len(above) < DEEPEST:
            yield Entry(f"{path}/")
            yield from _below(Path(each.path), (*above, each.name))


def _below(folder: Path, above: tuple[str, ...]) -> Iterator[Entry]:
    """What is in a subfolder; one that cannot be listed is a single refused entry."""
    try:
        yield from _walk(folder, above)
    except OSError as error:
        yield Entry("/".join(above), refused=unreadable(error))
