"""What has been found about a class, read from the journal; and reports on it."""

import multiprocessing
import signal
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from kata.grading.interrupts import undisturbed
from kata.grading.journal import Journal
from kata.grading.judges.options import Options
from kata.grading.reports import formats as shelf
from kata.grading.similarity.in_background import Alike
from kata.verdict import ClassVerdict, SubmissionVerdict


def class_verdict(
    journal: Journal, options: Options, names: tuple[str, ...], groups: Alike
) -> ClassVerdict:
    """Everything about these students, in this order.

    Args:
        journal: where the verdicts are.
        options: how they were found.
        names: of the students.
        groups: who has handed in nearly the same, as far as it is known when verdicts are read.
    """
    points = {slug: options.points[slug] for slug in options.slugs}
    return ClassVerdict(
        lambda: (_flagged(each, groups) for each in journal.verdicts(names)),
        points,
        options.seed,
        options.diagnosis,
    )


def _flagged(verdict: SubmissionVerdict, groups: Alike) -> SubmissionVerdict:
    """With what is known only when everybody's work has been compared."""
    found = list(verdict.exercises)
    for place, each in enumerate(found):
        if text := groups.get((verdict.student, each.slug)):
            found[place] = replace(each, flags=(*each.flags, text))
    return replace(verdict, exercises=tuple(found))


def report(
    folder: Path, options: Options, names: tuple[str, ...], groups: Alike, formats: tuple[str, ...]
) -> None:
    """Write reports in a process of their own: what a large class takes there is given back."""
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, context, _hear_nothing) as other:
        with undisturbed():
            written = other.submit(write, folder, options, names, groups, formats)
        written.result()


def _hear_nothing() -> None:
    """Ctrl-C is for the one who waits for the reports."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def write(
    folder: Path, options: Options, names: tuple[str, ...], groups: Alike, formats: tuple[str, ...]
) -> None:
    """Write reports here."""
    with closing(Journal(folder, options)) as journal:
        shelf.write(class_verdict(journal, options, names, groups), folder, formats)
