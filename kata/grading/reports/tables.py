"""The files that a run leaves: grades.csv, results.json, timings.json.

Written from the journal, student by student, so that a class of any size needs no more memory than
a small one. The same class with the same seed gives the same bytes; only timings.json differs.
"""

import csv
import json
import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from io import TextIOWrapper
from itertools import chain, repeat
from pathlib import Path
from typing import IO, Any

from kata.class_verdict import (
    ClassVerdict,
    Missing,
    SubmissionVerdict,
    submission_to_dict,
    timeless,
)
from kata.files import new_file
from kata.grading.reports import remarks
from kata.plain import encode
from kata.text import MORE, cut
from kata.words import say

MARK = "\ufeff"  # without it, spreadsheets on Windows take UTF-8 for another encoding
FORM = 1  # of results.json; counted up when a reader would have to change
COLUMNS = ["student", "score", "max_score", "status"]  # then the exercises
number = remarks.number  # as all tables write it
TOLD = ["mistakes", "flags", "notes"]
LONGEST_CELL = 8000  # characters; spreadsheets take 32,767 and lose what comes after, or the row
# What a spreadsheet takes for the start of a formula, in ASCII and full-width characters. In much
# of Europe a semicolon starts a new cell, even inside quotes.
FORMULA = re.compile(r"(^|;)(?=[\s\"]*[=+\-@\uff1d\uff0b\uff0d\uff20])")


def write(folder: Path, found: ClassVerdict, run: dict[str, Any]) -> None:
    """All three, while the verdicts are read once; `run` is what results.json says of the run."""
    with (
        replacing(folder / "grades.csv") as grades,
        replacing(folder / "results.json") as results,
        replacing(folder / "timings.json") as timings,
        _document(results, {"form": FORM, **run, **_missing(found)}, "submissions") as add_result,
        _document(timings, {"form": FORM}, "seconds") as add_times,
    ):
        grades.write(MARK)
        rows = csv.writer(grades, lineterminator="\n")
        proofs = [f"proof of {slug}" for slug in found.proven]
        rows.writerow([*COLUMNS, *found.points, *proofs, *_more(found), *TOLD])
        for verdict in found.submissions():
            rows.writerow(row(verdict, found))
            add_result(timeless(submission_to_dict(verdict)))
            add_times(_times(verdict))
        rows.writerows(_absent(each, found) for each in found.missing)


def _missing(found: ClassVerdict) -> dict[str, Any]:
    return {"missing": encode(found.missing)} if found.missing else {}


def _more(found: ClassVerdict) -> dict[str, Callable[[SubmissionVerdict], str]]:
    """Columns that only some classes have."""
    more: dict[str, Callable[[SubmissionVerdict], str]] = {}
    if found.sections:
        more["section"] = lambda verdict: harmless(verdict.section)
    if found.adjusted:
        more["earned"] = lambda verdict: number(verdict.earned)
    if scale := found.scale:
        for name, _ in scale.names(0, found.most):
            more[name] = partial(_called, found=found, name=name)
    return more


def _called(verdict: SubmissionVerdict, *, found: ClassVerdict, name: str) -> str:
    """What the score is called; empty where there is none."""
    if verdict.problem or not found.scale:
        return ""
    return harmless(dict(found.scale.names(verdict.score, found.most))[name])


def _absent(missing: Missing, found: ClassVerdict) -> list[str]:
    """The line of somebody who has handed in nothing."""
    marks = [""] * (len(found.points) + len(found.proven))
    more = [harmless(missing.section) if name == "section" else "" for name in _more(found)]
    head = [harmless(missing.student), "", number(found.most), say("reports.missing")]
    return [*head, *marks, *more, *[""] * len(TOLD)]


@contextmanager
def replacing(path: Path) -> Iterator[IO[str]]:
    """Replace a file in one step: if anything fails, it stays as it was."""
    with (
        new_file(path) as content,
        TextIOWrapper(content, encoding="utf-8", newline="") as file,
    ):
        yield file
        file.flush()
        os.fsync(file.fileno())


def row(verdict: SubmissionVerdict, found: ClassVerdict) -> list[str]:
    """One line of the table; cells without a mark stay empty if it could not be graded.

    Of a proof it has the points, or the share of the traps if proofs give no points.
    """
    marks = zip(verdict.exercises, verdict.marks, strict=True)
    scores = {exercise.slug: number(mark.score) for exercise, mark in marks}
    worth = found.proof_points or 1
    proofs = {each.slug: number(worth * each.share) for each in verdict.begun_proofs}
    head = [harmless(verdict.student), number(verdict.score), number(found.most)]
    texts = remarks.mistakes(verdict), remarks.seen(verdict), remarks.notes(verdict)
    cells = (harmless("; ".join(map(str, each))) for each in texts)
    marked = [scores.get(each, "") for each in found.points]
    proven = [proofs.get(each, "") for each in found.proven]
    more = [of(verdict) for of in _more(found).values()]
    line = [*head, verdict.status, *marked, *proven, *more, *cells]
    return [cut(each, LONGEST_CELL, MORE) for each in line]


def harmless(text: str) -> str:
    """One line that no spreadsheet takes for a formula."""
    line = "".join(each if each.isprintable() else " " for each in text)
    return FORMULA.sub(r"\1'", line)


def _times(verdict: SubmissionVerdict) -> dict[str, Any]:
    """Seconds, claim by claim."""
    claims = {each.slug: [one.seconds for one in each.claims] for each in verdict.exercises}
    total = sum(sum(each) for each in claims.values())
    return {"student": verdict.student, "total": total, "claims": claims}


@contextmanager
def _document(file: IO[str], head: dict[str, Any], name: str) -> Iterator[Callable[[Any], object]]:
    """One document with a long list at its end; gives a function that adds an item to it."""
    start = json.dumps(head, ensure_ascii=False, indent=1).removesuffix("\n}")
    file.write(f'{start},\n "{name}": [')
    between = chain(["\n"], repeat(",\n"))
    yield lambda item: file.write(next(between) + json.dumps(item, allow_nan=False))
    file.write("\n ]\n}\n")
