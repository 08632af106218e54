"""What has been found about a class, read from the journal; and reports on it."""

import multiprocessing
import signal
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

from kata.grading.interrupts import undisturbed
from kata.grading.journal import Journal
from kata.grading.judges.options import Options
from kata.grading.reports import formats as shelf
from kata.grading.similarity.in_background import Alike
from kata.verdict import ClassVerdict, SubmissionVerdict, submission_from_dict


class ClassResults:
    """Everything about these students, in this order.

    Args:
        journal: where the verdicts are.
        options: how they were found.
        names: of the students.
        groups: who has handed in nearly the same.
    """

    def __init__(
        self, journal: Journal, options: Options, names: tuple[str, ...], groups: Alike
    ) -> None:
        self._journal, self._options = journal, options
        self._names, self._groups = names, groups

    def entries(self) -> Iterator[dict[str, Any]]:
        """The journal's entries, with what is known only when everybody's work has been read."""
        for entry in self._journal.entries(iter(self._names)):
            verdict = entry["verdict"]
            for exercise in verdict["exercises"]:
                if text := self._groups.get((verdict["student"], exercise["slug"])):
                    exercise["flags"].append(text)
            yield entry

    @property
    def verdict(self) -> ClassVerdict:
        """The class as a whole."""
        points = {slug: self._options.points[slug] for slug in self._options.slugs}
        seed, diagnosed = self._options.seed, self._options.diagnosis
        return ClassVerdict(lambda: map(_timed, self.entries()), points, seed, diagnosed)


def _timed(entry: dict[str, Any]) -> SubmissionVerdict:
    """A verdict with the seconds that stand beside it."""
    for exercise in entry["verdict"]["exercises"]:
        times = entry["seconds"].get(exercise["slug"], [])
        for claim, seconds in zip(exercise["claims"], times, strict=False):
            claim["seconds"] = seconds
    return submission_from_dict(entry["verdict"])


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
        shelf.write(ClassResults(journal, options, names, groups).verdict, folder, formats)
