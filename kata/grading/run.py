"""One run of the grader: from a folder of submissions to a folder of grades."""

import json
import os
import secrets
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from kata.grading import results
from kata.grading.bar import progress
from kata.grading.crew import Crew
from kata.grading.intake import HandedIn, listing, read
from kata.grading.journal import Journal
from kata.grading.listing import Student
from kata.grading.options import Options
from kata.verdict import SubmissionVerdict, submission_from_dict

RUN = "about.json"


@dataclass(frozen=True)
class Run:
    """What is graded, how, and where the grades go."""

    submissions: Path
    grades: Path
    options: Options
    workers: int


@dataclass(frozen=True)
class Report:
    """What came of it."""

    rows: list[dict[str, Any]]
    graded: int  # in this run, the others in an earlier one
    verdicts: Callable[[], Iterator[SubmissionVerdict]]

    @property
    def lost(self) -> int:
        """How many could not be graded."""
        return sum(each["problem"] != "" for each in self.rows)


def grade(run: Run) -> Report:
    """Grade what has not been graded yet, and write everything down."""
    students = [each for each in listing(run.submissions) if not _is_own(each, run.grades)]
    run.grades.mkdir(parents=True, exist_ok=True)
    options = replace(run.options, seed=_seed(run))
    journal = Journal(run.grades, options)
    names = sorted(each.name for each in students)
    graded = 0

    def entries() -> Iterator[dict[str, Any]]:
        return journal.entries(iter(names))

    try:
        graded = _grade(run, options, students, journal)
    finally:  # whatever stops the run, what has been found is written
        about = {"seed": options.seed, "exercises": list(options.slugs)}
        results.write(run.grades, entries, options.slugs, about)
        journal.close()
    rows = [_row(each["verdict"]) for each in entries()]
    return Report(
        rows, graded, lambda: (submission_from_dict(each["verdict"]) for each in entries())
    )


def _is_own(student: Student, grades: Path) -> bool:
    """Whether this is what an earlier run has written among the submissions."""
    return any(each.path.resolve() == grades.resolve() for each in student.places)


def _grade(run: Run, options: Options, students: list[Student], journal: Journal) -> int:
    count = 0
    with progress(len(students)) as step:
        twins = _Twins(journal)
        todo = twins.first(_unknown(students, journal, step), step)
        first = next(todo, None)
        if first is None:
            return 0
        crew = Crew(options, min(run.workers, len(students)))
        try:
            for handed, verdict in crew.grade(_chained(first, todo)):
                for _ in range(twins.note(handed, verdict)):
                    count += 1
                    step()
        finally:
            crew.end()
    return count


def _chained(first: HandedIn, others: Iterator[HandedIn]) -> Iterator[HandedIn]:
    yield first
    yield from others


def _unknown(students: list[Student], journal: Journal, step: Any) -> Iterator[HandedIn]:
    """Those whose content has not been graded, neither for them nor for others."""
    for student in students:
        handed = read(student)
        if journal.knows(handed):
            step()
        else:
            yield handed


class _Twins:
    """Equal content is graded once."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._waiting: dict[str, list[HandedIn]] = {}

    def first(self, submissions: Iterator[HandedIn], step: Any) -> Iterator[HandedIn]:
        """Of each content the first that comes."""
        for handed in submissions:
            if verdict := self._journal.of(handed.digest):
                self._journal.note(handed, verdict)
                step()
            elif handed.digest in self._waiting:
                self._waiting[handed.digest].append(handed)
            else:
                self._waiting[handed.digest] = []
                yield handed

    def note(self, handed: HandedIn, verdict: SubmissionVerdict) -> int:
        """Write down the verdict for everybody who has handed this in; returns how many."""
        everybody = [handed, *self._waiting.pop(handed.digest)]
        for each in everybody:
            self._journal.note(each, verdict)
        return len(everybody)


def _seed(run: Run) -> int:
    """The one that was chosen; else that of the interrupted run; else a new one."""
    path = run.grades / RUN
    known: Any = None
    if path.exists():
        try:
            known = json.loads(path.read_text(encoding="utf-8")).get("seed")
        except (ValueError, AttributeError):
            known = None
    seed = run.options.seed or (known if isinstance(known, int) else 0)
    seed = seed or 1 + secrets.randbelow(10**9)
    with results.replacing(path) as file:
        json.dump({"seed": seed}, file)
    return seed


def _row(verdict: dict[str, Any]) -> dict[str, Any]:
    """What the table at the end shows."""
    kept = ("student", "score", "most", "status", "problem", "notes")
    return {key: verdict[key] for key in kept}


def cores() -> int:
    """How many this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
