"""Lays out a learner's folder, and brings one up to date: work is never touched."""

import shutil
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from kata.files import read_named, write_file
from kata.learner.folder.layout import layout
from kata.learner.folder.layout_record import LayoutRecord

NEWER = ".new.txt"  # what stands beside a file that was worked on


@dataclass
class Outcome:
    """What was done, as paths in the folder."""

    made: list[str] = field(default_factory=list)
    there: list[str] = field(default_factory=list)  # nothing was done
    renewed: list[str] = field(default_factory=list)
    beside: list[str] = field(default_factory=list)  # the learner's; the newer one is next to it
    removed: list[str] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)  # the kata has them no longer, but they are work


def lay_out(home: Path) -> Outcome:
    """Make what is not there; nothing is overwritten."""
    done, wanted, record = Outcome(), layout(home), LayoutRecord(home)
    for path, content in wanted.items():
        if (home / path).exists():
            done.there.append(path)
        else:
            write_file(home / path, content)
            done.made.append(path)
    record.note({path: wanted[path] for path in done.made})
    record.save()
    return done


def renew(home: Path, backup: Path) -> Outcome:
    """Replace what nobody has worked on, add what is new, and remove what the kata has no more."""
    done, wanted, record = Outcome(), layout(home), LayoutRecord(home)
    for path, content in wanted.items():
        getattr(done, _renewed(home, path, content, record)).append(path)
    for path in _gone(home, wanted, record):
        if record.is_untouched(path):
            _remove(home, path, backup)
            done.removed.append(path)
        else:
            done.kept.append(path)
        record.forget(path)
    record.note({path: wanted[path] for path in (*done.made, *done.renewed, *done.beside)})
    record.save()
    return done


def _renewed(home: Path, path: str, content: bytes, record: LayoutRecord) -> str:
    """What was done about a file: the name of the list that it belongs to."""
    file = home / path
    if not file.exists():
        write_file(file, content)
        return "made"
    foreign = path not in record.paths and not path.startswith("exercises/")
    if foreign or _is(file, content) or record.has(path, content):
        return "there"
    if record.is_untouched(path):
        write_file(file, content)
        return "renewed"
    write_file(file.with_name(file.name + NEWER), content)
    return "beside"


def _is(file: Path, content: bytes) -> bool:
    with suppress(OSError):  # it is no plain file
        return read_named(file) == content
    return False


def _gone(home: Path, wanted: dict[str, bytes], record: LayoutRecord) -> Iterator[str]:
    """What the kata has laid out and has no longer; it has laid out no links."""
    return (path for path in record.paths if path not in wanted and _is_plain(home, path))


def _is_plain(home: Path, path: str) -> bool:
    steps = [Path(path), *Path(path).parents[:-1]]
    return (home / path).is_file() and not any((home / step).is_symlink() for step in steps)


def _remove(home: Path, path: str, backup: Path) -> None:
    (backup / path).parent.mkdir(parents=True, exist_ok=True)
    shutil.move(home / path, backup / path)
