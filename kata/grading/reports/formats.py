"""The files that a run leaves: the tables of every run, and the reports that were asked for.

`run` calls `write_tables` and `write`, and reads the marks of an earlier run here; the command line
has prices written, but over no file whose prices do not count in this run. Reports are written from
the verdicts alone, student by student: a class of any size needs no more memory than a small one,
and nothing is graded again for a report. The same class with the same seed gives the same bytes;
only timings.json may differ. Names of files are made from names of students, which are not trusted:
see `stem`.
"""

import csv
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from io import StringIO
from itertools import chain, repeat
from pathlib import Path
from typing import IO, Any

from kata.class_verdict import ClassVerdict, SubmissionVerdict, submission_to_dict, timeless
from kata.course.catalogue import part
from kata.course.curriculum import exercises
from kata.errors import UserError
from kata.files import read_file, replacing, write_file
from kata.grading.collecting.names import few
from kata.grading.reports import wording
from kata.grading.reports.counting import Cost, Counts
from kata.grading.reports.wording import DIGITS, number, points
from kata.grading.rubric import Rubric
from kata.grading.tables import harmless
from kata.plain import encode
from kata.text import MORE, cut, printable
from kata.verdict import Mistake

GRADES = "grades.csv"
MARK = "\ufeff"  # without it, spreadsheets on Windows take UTF-8 for another encoding
FORM = 1  # of results.json; counted up when a reader would have to change
HEAD = ["student", "score", "max_score", "status"]  # then the exercises
REMARKS = ["mistakes", "flags", "notes"]
LONGEST_CELL = 8000  # characters; spreadsheets take 32,767 and lose what comes after, or the row
MOST_NAMES = 6  # of students with a changed mark
SAME_MARKS = "no mark has changed since the last run"
OF_STUDENTS = ("gradescope", "exercism", "classroom", "autolab")  # a file for each, with evidence
ON_REQUEST = ("feedback", "junit", *OF_STUDENTS)
UPLOADS = ("upload-canvas", "upload-moodle")
LONGEST_STEM = 100  # bytes; every disk takes that with a suffix
PORTS = (f"{port}{number}" for port in ("com", "lpt") for number in "0123456789¹²³")
DEVICES = {"con", "prn", "aux", "nul", *PORTS}  # reserved by Windows, with any suffix
MARKED = re.compile(r".*-[0-9a-f]{8}", re.IGNORECASE | re.DOTALL)  # could be another's
PRICES_HEAD = """\
# What known mistakes cost. Change a line and grade again with --rubric and this file:
# the marks of all who made that mistake change with it, and no others. A price is a number of
# points, or a part of what its function is worth: all, grave (a half), middle (three tenths),
# small (a seventh). A line that is not changed costs at most what its claims are worth."""
Sink = Callable[[SubmissionVerdict], object]  # takes one verdict after the other
Texts = Callable[[SubmissionVerdict, ClassVerdict], Mapping[str, str]]  # of a student, by suffix


# The tables of every run: grades.csv, results.json, timings.json


def write_tables(folder: Path, verdicts: ClassVerdict, run: Mapping[str, Any]) -> Counts:
    """Write all three in one pass over the verdicts, and count what they have in common.

    `run` is what results.json says of the run.
    """
    counts = Counts(verdicts)
    missing = {"missing": encode(verdicts.missing)} if verdicts.missing else {}
    with (
        replacing(folder / GRADES) as grades,
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
            counts.add(verdict)
        for person in verdicts.missing:
            section = {"section": harmless(person.section)} if verdicts.sections else {}
            cells = {"student": harmless(person.student), "max_score": number(verdicts.most)}
            rows.writerow({**cells, "status": "missing", **section})
    return counts


@contextmanager
def _document(file: IO[str], head: dict[str, Any], name: str) -> Iterator[Callable[[Any], object]]:
    """Write a document with a long list at its end; yield a function that adds an item to it."""
    start = json.dumps(head, ensure_ascii=False, indent=1).removesuffix("\n}")
    file.write(f'{start},\n "{name}": [')
    between = chain(["\n"], repeat(",\n"))
    yield lambda item: file.write(next(between) + json.dumps(item, allow_nan=False))
    file.write("\n ]\n}\n")


def _header(verdicts: ClassVerdict) -> list[str]:
    """Return the columns, some of which only some classes have."""
    proofs = (f"proof of {slug}" for slug in verdicts.proven)
    more = [*(["section"] if verdicts.sections else []), *(["earned"] if verdicts.adjusted else [])]
    names = dict(verdicts.scale.names(0, verdicts.most)) if verdicts.scale else ()
    return [*HEAD, *verdicts.points, *proofs, *more, *names, *REMARKS]


def row(verdict: SubmissionVerdict, verdicts: ClassVerdict) -> dict[str, str]:
    """Make one line of the table; the marks of ungraded work stay empty.

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
    """Return the seconds, claim by claim."""
    claims = {exercise.slug: [claim.seconds for claim in exercise.claims]
              for exercise in verdict.exercises}  # fmt: skip
    return {"student": verdict.student, "total": sum(map(sum, claims.values())), "claims": claims}


# The reports that were asked for


def write(verdicts: ClassVerdict, counts: Counts, grades: Path, names: Iterable[str]) -> None:
    """Write the class page, these reports, and outdated ones that an earlier run left."""
    outdated = (name for name in (*ON_REQUEST, *UPLOADS) if is_there(name, grades))
    write_only(verdicts, grades, dict.fromkeys([*names, *outdated]), counts)


def write_only(
    verdicts: ClassVerdict, grades: Path, names: Iterable[str], counts: Counts | None = None
) -> None:
    """Write these reports in one pass over the verdicts, and the page of these counts."""
    from kata.grading.reports import class_page  # an option needs no more than the names

    sinks = [_sink(name, verdicts, grades) for name in names]
    sinks += [class_page.page(verdicts, counts, grades)] if counts else []
    with ExitStack() as stack:
        writers = [stack.enter_context(sink) for sink in sinks]
        for verdict in verdicts.submissions():
            for add in writers:
                add(verdict)


def is_there(name: str, grades: Path) -> bool:
    """Return whether an earlier run has left this report there."""
    return any(grades.glob(f"{name}*"))


def _sink(name: str, verdicts: ClassVerdict, grades: Path) -> AbstractContextManager[Sink]:
    from kata.grading.reports import feedback, interchange, uploads

    of_class: dict[str, Callable[[ClassVerdict, Path], AbstractContextManager[Sink]]] = {
        "junit": interchange.junit,
        "upload-canvas": partial(uploads.upload, "canvas"),
        "upload-moodle": partial(uploads.upload, "moodle"),
    }
    if name in of_class:
        return of_class[name](verdicts, grades)
    of_student: dict[str, Texts] = {"feedback": feedback.texts, **interchange.FORMATS}
    return _student_files(of_student[name], verdicts, grades / name)


@contextmanager
def _student_files(texts: Texts, verdicts: ClassVerdict, folder: Path) -> Iterator[Sink]:
    """Write the files of one student after the other."""
    folder.mkdir(parents=True, exist_ok=True)

    def add(verdict: SubmissionVerdict) -> None:
        for suffix, text in texts(verdict, verdicts).items():
            with replacing(folder / f"{stem(verdict.student)}.{suffix}") as file:
                file.write(text)

    yield add


def stem(student: str) -> str:
    """Name a file after a student: by the name itself, or if a system refuses it, most of it and a
    hash.
    """
    plain = re.sub(r"[^\w .,'’-]|[^\S ]", "_", student)
    short = plain.encode("utf-8", "replace")[:LONGEST_STEM].decode("utf-8", "ignore")
    safe = short.strip(" .-") or "student"
    device = safe.split(".")[0].rstrip().casefold() in DEVICES
    if safe == student and not device and not MARKED.fullmatch(safe):
        return safe
    mark = sha256(student.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{'_' * device}{safe}-{mark}"


# The marks that rose or fell since the tables were last written


@dataclass(frozen=True)
class Marks:
    """The scores of a class by student, and how many points there are; none if that is unknown."""

    scores: Mapping[str, float]
    most: float | None = None


def earlier_marks(folder: Path) -> Marks:
    """Read the marks of the last run, as far as its table can be read."""
    scores: dict[str, float] = {}
    most: float | None = None
    with suppress(OSError, ValueError, csv.Error, TypeError, KeyError):
        text = read_file(folder / GRADES).decode("utf-8-sig")
        for row in csv.DictReader(StringIO(text, newline="")):
            if row["score"]:  # who is missing has none
                scores[row["student"]] = float(row["score"])
            most = float(row["max_score"]) if most is None else most
    return Marks(scores, most)


def changes(before: Marks, now: Marks, judged: int) -> Iterator[str]:
    """Yield a line if the points of the class have changed, and one on the marks that have.

    A line says that no mark has changed, but only if somebody was judged again.
    """
    if before.most is not None and now.most is not None and before.most != now.most:
        yield (
            f"the marks are out of {number(now.most)} now, and were out of {number(before.most)} "
            "in the last run"
        )
    after = {harmless(name): score for name, score in now.scores.items()}
    changed = {name: (score, after[name]) for name, score in before.scores.items()
               if name in after and score != after[name]}  # fmt: skip
    if changed:
        rose = sum(old < new for old, new in changed.values())
        counts = ((rose, "rose"), (len(changed) - rose, "fell"))
        texts = (f"{count} mark{'s' * (count > 1)} {verb}" for count, verb in counts if count)
        yield f"since the last run {', '.join(texts)}: {_names(changed)}"
    elif judged and before.scores.keys() & after.keys():
        yield SAME_MARKS


def _names(changed: Mapping[str, tuple[float, float]]) -> str:
    """List the names, most changed first."""
    order = sorted(changed, key=lambda name: (-abs(changed[name][1] - changed[name][0]), name))
    parts = [
        f"{printable(name)} {number(changed[name][0], DIGITS)} → {number(changed[name][1], DIGITS)}"
        for name in order[:MOST_NAMES]
    ]
    more = len(order) - MOST_NAMES
    return ", ".join([*parts, f"and {more} more"] if more > 0 else parts)


# The prices of mistakes, which an instructor may change


def check_prices(path: Path, own: Path | None) -> None:
    """Refuse to write over a file unless the prices in it count in this run."""
    if path.exists() and not (own and own.exists() and path.samefile(own)):
        raise UserError(f"{path} is there already: name it with --rubric, too, or write another "
                        "file")  # fmt: skip


def write_prices(path: Path, counts: Counts, rubric: Rubric) -> str:
    """Write the prices of all mistakes that occurred, and the instructor's own in any case."""
    write_file(path, "\n".join(_price_lines(counts, rubric)) + "\n")
    return f"the prices of the mistakes that occurred are in {path}"


def unheard_prices(counts: Counts, rubric: Rubric) -> Iterator[str]:
    """Yield a line on own prices that do not count for some: nothing was computed to compare."""
    for (slug, name), students in counts.unpriced.items():
        if (slug, name) in rubric.own:
            yield (f"the price of {name} ({exercises()[slug].short}) does not count where nothing "
                   f"was computed that could be compared: {few(students)}")  # fmt: skip


def _price_lines(counts: Counts, rubric: Rubric) -> Iterator[str]:
    lines: dict[str, dict[str, str]] = {slug: {} for slug in exercises()}
    for (slug, name), price in rubric.own.items():
        lines[slug][name] = _price(name, price)
    for hit in counts.hits:
        for mistake in filter(lambda mistake: mistake.price, hit.mistakes):
            key = (hit.slug, mistake.slug)
            remark = _price_remark(hit, mistake, counts.exercises[hit.slug].most)
            line = f"{_price(mistake.slug, rubric.own.get(key, mistake.price))}  # {remark}"
            lines[hit.slug][mistake.slug] = line if key in counts.priced else (
                f"# {line}: costs what its claims are worth, as nothing was computed that could be "
                "compared")  # fmt: skip
    yield PRICES_HEAD
    for slug, table in lines.items():
        if table:
            yield from ["", f"[{slug}]", *table.values()]


def _price(name: str, price: str | float) -> str:
    return f'{name} = "{price}"' if isinstance(price, str) else f"{name} = {number(price)}"


def _price_remark(hit: Cost, mistake: Mistake, most: float) -> str:
    count = len(hit.students)
    worth = points(number(most * part(exercises()[hit.slug], mistake.function), DIGITS))
    lost = number(hit.lost / count, DIGITS)
    loss = f"1 student lost {lost}" if count == 1 else f"{count} students lost {lost} each"
    rivals = [rival.slug for rival in hit.mistakes if rival is not mistake]
    cheaper = f", or {', '.join(rivals)}, and the cheapest counts" if rivals else ""
    return f"of {worth} for {mistake.function}: {mistake.title}; {loss}{cheaper}"
