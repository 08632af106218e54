"""The files that every run leaves: grades.csv, results.json, timings.json.

`run` calls `write`. They are written from the journal, student by student, so that a class of any
size needs no more memory than a small one. The same class with the same seed must give the same
bytes; only timings.json may differ.
"""

import csv
import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import chain, repeat
from pathlib import Path
from typing import IO, Any

from kata.class_verdict import (
    ClassVerdict,
    SubmissionVerdict,
    submission_to_dict,
    timeless,
)
from kata.files import replacing
from kata.grading.reports import wording
from kata.grading.reports.wording import number
from kata.grading.tables import harmless
from kata.plain import encode
from kata.text import MORE, cut

MARK = "\ufeff"  # without it, spreadsheets on Windows take UTF-8 for another encoding
FORM = 1  # of results.json; counted up when a reader would have to change
HEAD = ["student", "score", "max_score", "status"]  # then the exercises
REMARKS = ["mistakes", "flags", "notes"]
LONGEST_CELL = 8000  # characters; spreadsheets take 32,767 and lose what comes after, or the row


def write(folder: Path, verdicts: ClassVerdict, run: dict[str, Any]) -> None:
    """Write all three in one pass over the verdicts; `run` is what results.json says of the run."""
    missing = {"missing": encode(verdicts.missing)} if verdicts.missing else {}
    with (
        replacing(folder / "grades.csv") as grades,
        replacing(folder / "results.json") as results,
        replacing(folder / "timings.json") as timings,
        _document(results, {"form": FORM, **run, **missing}, "submissions") as add_result,
        _document(timings, {"form": FORM}, "seconds") as add_times,
    ):
        grades.write(MARK)
        rows = csv.DictWriter(grades, _header(verdicts), lineterminator="\n")
        rows.writeheader()
        for verdict in verdicts.submissions():
            rows.writerow(row(verdict, verdicts))
            add_result(timeless(submission_to_dict(verdict)))
            add_times(_times(verdict))
        for person in verdicts.missing:
            section = {"section": harmless(person.section)} if verdicts.sections else {}
            about = {"student": harmless(person.student), "max_score": number(verdicts.most)}
            rows.writerow({**about, "status": "missing", **section})


@contextmanager
def _document(file: IO[str], head: dict[str, Any], name: str) -> Iterator[Callable[[Any], object]]:
    """One document with a long list at its end; gives a function that adds an item to it."""
    start = json.dumps(head, ensure_ascii=False, indent=1).removesuffix("\n}")
    file.write(f'{start},\n "{name}": [')
    between = chain(["\n"], repeat(",\n"))
    yield lambda item: file.write(next(between) + json.dumps(item, allow_nan=False))
    file.write("\n ]\n}\n")


def _header(verdicts: ClassVerdict) -> list[str]:
    """The columns, of which some only some classes have."""
    proofs = (f"proof of {slug}" for slug in verdicts.proven)
    more = [*(["section"] if verdicts.sections else []), *(["earned"] if verdicts.adjusted else [])]
    names = dict(verdicts.scale.names(0, verdicts.most)) if verdicts.scale else ()
    return [*HEAD, *verdicts.points, *proofs, *more, *names, *REMARKS]


def row(verdict: SubmissionVerdict, verdicts: ClassVerdict) -> dict[str, str]:
    """One line of the table; cells without a mark stay empty if it could not be graded.

    Of a proof it has the points, or the share of the traps if proofs give no points.
    """
    head = (harmless(verdict.student), number(verdict.score), number(verdicts.most), verdict.status)
    cells = dict(zip(HEAD, head, strict=True))
    marks = zip(verdict.exercises, verdict.marks, strict=True)
    cells |= {exercise.slug: number(mark.score) for exercise, mark in marks}
    worth = verdicts.proof_points or 1
    cells |= {f"proof of {proof.slug}": number(worth * proof.share)
              for proof in verdict.begun_proofs}  # fmt: skip
    if verdicts.sections:
        cells["section"] = harmless(verdict.section)
    if verdicts.adjusted:
        cells["earned"] = number(verdict.earned)
    if verdicts.scale and not verdict.problem:
        names = verdicts.scale.names(verdict.score, verdicts.most)
        cells |= {name: harmless(text) for name, text in names}
    cells["mistakes"] = _joined(wording.mistakes(verdict))
    cells["flags"] = _joined(wording.all_remarks(verdict))
    cells["notes"] = _joined(wording.notes(verdict))
    return {name: cut(text, LONGEST_CELL, MORE) for name, text in cells.items()}


def _joined(texts: Iterable[object]) -> str:
    return harmless("; ".join(map(str, texts)))


def _times(verdict: SubmissionVerdict) -> dict[str, Any]:
    """Seconds, claim by claim."""
    claims = {exercise.slug: [claim.seconds for claim in exercise.claims]
              for exercise in verdict.exercises}  # fmt: skip
    return {"student": verdict.student, "total": sum(map(sum, claims.values())), "claims": claims}
