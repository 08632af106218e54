"""The files that a run leaves: grades.csv, results.json, timings.json.

Written from the journal, student by student, so that a class of any size needs no more memory than
a small one. The same class with the same seed gives the same bytes; only timings.json differs.
"""

import csv
import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from kata.course.curriculum import exercises
from kata.verdict import Fit, State
from kata.words import say

FORM = 1  # of results.json; counted up when a reader would have to change
COLUMNS = ["student", "score", "max_score", "status"]  # then the exercises
TOLD = ["mistakes", "flags", "notes"]
# What a spreadsheet takes for the start of a formula, in letters of both widths. In much of Europe
# a semicolon begins a cell, also one between quotes, which then stand in the midst of another cell.
FORMULA = re.compile(r"(^|;)(?=[\s\"]*[=+\-@\uff1d\uff0b\uff0d\uff20])")
Entries = Callable[[], Iterable[dict[str, Any]]]
Told = Callable[[dict[str, Any]], Iterable[str]]


def write(folder: Path, entries: Entries, points: Mapping[str, float], run: dict[str, Any]) -> None:
    """All three; `entries` gives the journal's entries in the order of the rows."""
    with replacing(folder / "grades.csv") as file:
        _csv(file, entries(), points)
    with replacing(folder / "results.json") as file:
        _json(file, {"form": FORM, **run}, "submissions", (each["verdict"] for each in entries()))
    with replacing(folder / "timings.json") as file:
        _json(file, {"form": FORM}, "seconds", map(_timing, entries()))


@contextmanager
def replacing(path: Path) -> Iterator[IO[str]]:
    """A file that is there as a whole, or as it was before."""
    draft = path.with_name(f".{path.name}.part")
    try:
        with draft.open("w", encoding="utf-8", newline="") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)


def _csv(file: IO[str], entries: Iterable[dict[str, Any]], points: Mapping[str, float]) -> None:
    rows = csv.writer(file, lineterminator="\n")
    rows.writerow([*COLUMNS, *points, *TOLD])
    for entry in entries:
        rows.writerow(row(entry["verdict"], points))


def row(verdict: dict[str, Any], points: Mapping[str, float]) -> list[str]:
    """One line of the table; one that could not be graded has no points, of as many as all."""
    marks = zip(verdict["exercises"], verdict["marks"], strict=True)
    scores = {exercise["slug"]: number(mark["score"]) for exercise, mark in marks}
    head = [harmless(verdict["student"]), number(verdict["score"]), number(sum(points.values()))]
    told = mistakes(verdict), [*tampering(verdict), *flags(verdict)], notes(verdict)
    cells = (harmless("; ".join(each)) for each in told)
    return [*head, verdict["status"], *(scores.get(each, "") for each in points), *cells]


def notes(verdict: dict[str, Any]) -> list[str]:
    """What could not be graded and why, and what reading it has brought to light."""
    return [*filter(None, [verdict["problem"]]), *verdict["notes"], *_broken(verdict)]


def mistakes(verdict: dict[str, Any]) -> list[str]:
    """The known mistakes, each with the exercises in which it was recognised."""
    return _by_exercise(verdict, lambda exercise: [_named(exercise["diagnosis"])])


def tampering(verdict: dict[str, Any]) -> list[str]:
    """What was tried that no exercise asks for."""
    return _by_exercise(verdict, _tried)


def flags(verdict: dict[str, Any]) -> list[str]:
    """What else an instructor may want to look at."""
    return _by_exercise(verdict, lambda exercise: exercise["flags"])


def _by_exercise(verdict: dict[str, Any], told: Told) -> list[str]:
    """Each text once, after the names of its exercises."""
    places: dict[str, list[str]] = {}
    for exercise in verdict["exercises"]:
        for text in filter(None, told(exercise)):
            places.setdefault(text, []).append(exercises()[exercise["slug"]].short)
    return [f"{', '.join(shorts)}: {text}" for text, shorts in places.items()]


def _tried(exercise: dict[str, Any]) -> Iterator[str]:
    seen = [say("reports.tried-what", what=each) for each in exercise["tampering"]]
    forged = (each for each in exercise["claims"] if each["state"] == State.TAMPERED)
    yield from seen or (each["message"]["evidence"] for each in forged)


def _broken(verdict: dict[str, Any]) -> Iterator[str]:
    """Why files could not be judged at all."""
    for exercise in verdict["exercises"]:
        first = exercise["claims"][0]
        if first["state"] == State.ERROR and first["name"] == State.ERROR:
            yield " ".join(first["message"]["claim"].split())


def _named(diagnosis: dict[str, Any] | None) -> str:
    if not diagnosis:
        return ""
    joint = " + " if diagnosis["fit"] == Fit.BOTH else " / "
    return joint.join(each["title"] for each in diagnosis["mistakes"])


def number(value: float, digits: int = 4) -> str:
    """As people write it: 2 and 2.5, and never more than so many digits behind the point."""
    return f"{value:.{digits}f}".rstrip("0").rstrip(".")


def harmless(text: str) -> str:
    """No formula in a spreadsheet, and one line."""
    line = "".join(each if each.isprintable() else " " for each in text)
    return FORMULA.sub(r"\1'", line)


def _timing(entry: dict[str, Any]) -> dict[str, Any]:
    total = sum(sum(each) for each in entry["seconds"].values())
    return {"student": entry["verdict"]["student"], "total": total, "claims": entry["seconds"]}


def _json(file: IO[str], head: dict[str, Any], name: str, items: Iterable[Any]) -> None:
    """One document with a long list at its end, an item at a time."""
    start = json.dumps(head, ensure_ascii=False, indent=1).removesuffix("\n}")
    file.write(f'{start},\n "{name}": [')
    for place, item in enumerate(items):
        line = json.dumps(item, ensure_ascii=True, allow_nan=False)
        file.write(("," if place else "") + "\n" + line)
    file.write("\n ]\n}\n")
