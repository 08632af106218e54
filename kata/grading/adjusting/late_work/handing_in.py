"""When work was handed in, as far as the platform's own names and tables tell.

The dates of files, of archives and of commits are not looked at: exports change the first, and
whoever handed in chose the others.
"""

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, tzinfo
from pathlib import Path
from typing import IO

from kata.grading.adjusting.late_work.moments import moment
from kata.grading.collecting.entries import RefusedError, opened
from kata.grading.collecting.exports import GRADESCOPE, LINE
from kata.grading.collecting.places import Location
from kata.grading.collecting.students import Student

STAMP = 14  # digits of a date with its time in one of Blackboard's names
FOLDER = re.compile(r"([^\s:#-][^:]*):\s*$")
CREATED = re.compile(r"  :created_at: (.+)")


@dataclass(frozen=True)
class HandedIn:
    """When somebody handed in last; `in_time` is what the platform says without a time."""

    at: datetime | None = None
    in_time: bool | None = None


def times_of(students: list[Student], zone: tzinfo | None) -> dict[str, HandedIn]:
    """By student."""
    tables: dict[Path, dict[str, str]] = {}
    for folder in {place.path.parent for each in students for place in each.places}:
        tables[folder] = _of_gradescope(folder / GRADESCOPE)
    return {each.name: _time(each, tables, zone) for each in students}


def _time(student: Student, tables: dict[Path, dict[str, str]], zone: tzinfo | None) -> HandedIn:
    found = [_stamp(each, zone) for each in student.places]
    for each in student.places:
        with suppress(ValueError, KeyError):
            found.append(moment(tables[each.path.parent][each.path.name], zone))
    known = [*filter(None, found)]
    late = any(each.label.late for each in student.places)
    told = False if late else True if all(map(_of_canvas, student.places)) else None
    return HandedIn(max(known) if known else None, told)


def _stamp(place: Location, zone: tzinfo | None) -> datetime | None:
    """The time in one of Blackboard's names."""
    digits = str(place.label.order)
    if len(digits) != STAMP:
        return None
    day, time = digits[:8], digits[8:]
    text = f"{day[:4]}-{day[4:6]}-{day[6:]} {time[:2]}:{time[2:4]}:{time[4:]}"
    with suppress(ValueError):  # of no calendar
        return moment(text, zone)
    return None


def _of_canvas(place: Location) -> bool:
    """Whether Canvas made the name, which marks what came late."""
    return place.label.decorated and 0 < place.label.order < 10 ** (STAMP - 1)


def _of_gradescope(path: Path) -> dict[str, str]:
    """The times in its metadata, by folder."""
    found: dict[str, str] = {}
    folder = ""
    with suppress(OSError, RefusedError), opened(path) as file:
        for line in _lines(file):
            if match := FOLDER.match(line):
                folder = match[1]
            elif match := CREATED.match(line):
                found[folder] = match[1].strip().strip("'\"")
    return found


def _lines(file: IO[bytes]) -> Iterator[str]:
    """The lines, cut after so many bytes; the rest of a long one, as students print, is none."""
    whole = True
    while line := file.readline(LINE):
        if whole:
            yield line.decode("utf-8", "replace")
        whole = line.endswith(b"\n")
