"""The verdicts on a class, read from the journal, and the reports on it."""

import multiprocessing
import os
import signal
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from threading import Thread

from kata.class_verdict import ClassVerdict, SubmissionVerdict
from kata.grading.adjusting.adjusted import adjusted
from kata.grading.adjusting.plan import Plan
from kata.grading.interrupts import undisturbed
from kata.grading.journal import Journal
from kata.grading.options import Options
from kata.grading.reports import formats as reports
from kata.grading.similarity.in_background import Alike, works


def class_verdict(journal: Journal, options: Options, plan: Plan, groups: Alike) -> ClassVerdict:
    """The verdicts on these students, as they are reported.

    Args:
        journal: where the verdicts are.
        options: how they were found.
        plan: what is done with them before anybody reads them.
        groups: flags for work that is much alike; filled in before the verdicts are read.
    """
    points = {slug: options.points[slug] for slug in options.slugs}
    found = ClassVerdict(
        lambda: (
            replace(_flagged(each, groups), proof_points=options.proof_points)
            for each in journal.verdicts(plan.sources)
        ),
        points,
        options.seed,
        options.diagnosis,
        journal.proofs,
        options.proof_points,
    )
    return adjusted(found, plan.adjusting)


def _flagged(verdict: SubmissionVerdict, groups: Alike) -> SubmissionVerdict:
    """With the flags that need the whole class: work that is much like another's."""
    found = list(verdict.exercises)
    for place, each in enumerate(found):
        likes = (groups.get((verdict.student, work)) for work in works(each.slug))
        if told := [like.text for like in likes if like]:
            found[place] = replace(each, flags=(*each.flags, *told))
    return replace(verdict, exercises=tuple(found))


def report(
    folder: Path, options: Options, plan: Plan, groups: Alike, formats: tuple[str, ...]
) -> None:
    """Write reports in a separate process, whose memory is freed when it exits."""
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, context, _belong) as other:
        with undisturbed():
            written = other.submit(write, folder, options, plan, groups, formats)
        written.result()


def _belong() -> None:
    """Leave Ctrl-C to the process that waits for the reports, and end with it even if killed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent:
        parent.join()
        os._exit(1)


def write(
    folder: Path, options: Options, plan: Plan, groups: Alike, formats: tuple[str, ...]
) -> None:
    """Write reports in this process."""
    with closing(Journal(folder, options)) as journal:
        reports.write(class_verdict(journal, options, plan, groups), folder, formats)
