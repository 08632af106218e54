"""The files that a run leaves: grades.csv, results.json, timings.json.

Written from the journal, student by student, so that a class of any size needs no more memory than
a small one. The same class with the same seed gives the same bytes; only timings.json differs.
"""

import csv
import json
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

FORM = 1  # of results.json; counted up when a reader would have to change
COLUMNS = ["student", "score", "max_score", "status"]
DANGEROUS = ("=", "+", "-", "@", "\t", "\r")  # what a spreadsheet takes for the start of a formula
Entries = Callable[[], Iterable[dict[str, Any]]]


def write(folder: Path, entries: Entries, slugs: Iterable[str], run: dict[str, Any]) -> None:
    """All three; `entries` gives the journal's entries in the order of the rows."""
    with replacing(folder / "grades.csv") as file:
        _csv(file, entries(), list(slugs))
    with replacing(folder / "results.json") as file:
        _json(file, {"form": FORM, **run}, "submissions", (each["verdict"] for each in entries()))
    with replacing(folder / "timings.json") as file:
        _json(file, {"form": FORM}, "seconds", map(_timing, entries()))


@contextmanager
def replacing(path: Path) -> Iterator[IO[str]]:
    """A file that is there as a whole, or as it was before."""
    draft = path.with_name(f".{path.name}.part")
    with draft.open("w", encoding="utf-8", newline="") as file:
        yield file
        file.flush()
        os.fsync(file.fileno())
    draft.replace(path)


def _csv(file: IO[str], entries: Iterable[dict[str, Any]], slugs: list[str]) -> None:
    rows = csv.writer(file, lineterminator="\n")
    rows.writerow([*COLUMNS, *slugs, "notes"])
    for entry in entries:
        rows.writerow(row(entry["verdict"], slugs))


def row(verdict: dict[str, Any], slugs: list[str]) -> list[str]:
    """One line of the table."""
    marks = zip(verdict["exercises"], verdict["marks"], strict=True)
    scores = {exercise["slug"]: number(mark["score"]) for exercise, mark in marks}
    told = "; ".join(filter(None, [verdict["problem"], *verdict["notes"]]))
    head = [harmless(verdict["student"]), number(verdict["score"]), number(verdict["most"])]
    return [*head, verdict["status"], *(scores.get(each, "") for each in slugs), harmless(told)]


def number(value: float) -> str:
    """As people write it: 2 and 2.5, and never more than four digits behind the point."""
    return f"{value:.4f}".rstrip("0").rstrip(".")


def harmless(text: str) -> str:
    """No formula in a spreadsheet, and one line."""
    line = "".join(each if each.isprintable() else " " for each in text)
    return f"'{line}" if line.startswith(DANGEROUS) else line


def _timing(entry: dict[str, Any]) -> dict[str, Any]:
    total = sum(sum(each) for each in entry["seconds"].values())
    return {"student": entry["verdict"]["student"], "total": total, "claims": entry["seconds"]}


def _json(file: IO[str], head: dict[str, Any], name: str, items: Iterable[Any]) -> None:
    """One document with a long list at its end, an item at a time."""
    start = json.dumps(head, ensure_ascii=False, indent=1).removesuffix("\n}")
    file.write(f'{start},\n "{name}": [')
    for place, item in enumerate(items):
        file.write(("," if place else "") + "\n" + json.dumps(item, ensure_ascii=True))
    file.write("\n ]\n}\n")
