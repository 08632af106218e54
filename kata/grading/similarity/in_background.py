"""Compares the submissions of a class in a process of its own.

The grader's main process then does not need the memory for a large class, and survives a file that
crashes Python's parser.
"""

import multiprocessing
import sys
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from kata.course.curriculum import exercises
from kata.course.source import decoded
from kata.grading.similarity.pairs import TwoWorks
from kata.proved import PROOF
from kata.words import say

if TYPE_CHECKING:
    from kata.grading.similarity.similarity import Comparison


@dataclass(frozen=True)
class Likeness:
    """That the files of some students for one exercise are much alike.

    Attributes:
        students: who they are.
        near: the share of steps that each of them has in common with another one; 0 if it is about
            one student alone.
        text: the flag of one of them.
    """

    students: tuple[str, ...]
    near: float
    text: str = field(compare=False)


ABOUT_ONE = ("model", "oracle")  # kinds of flags of a proof by itself
Alike = dict[tuple[str, str], Likeness]  # (student, exercise or proof) → with whom


class SimilarityProcess:
    """Receives the files of one student at a time, and finds similar ones at the end.

    Args:
        given: texts that everybody had, by exercise.
    """

    def __init__(self, given: Mapping[str, list[str]] | None = None) -> None:
        self.pairs: list[TwoWorks] = []
        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=_compare, args=(theirs, given), daemon=True)
        self._process.start()
        theirs.close()

    def add(self, student: str, files: Mapping[str, bytes]) -> None:
        """Add what a student handed in."""
        with suppress(OSError):  # the process died; there will be no result
            self._pipe.send((student, dict(files)))

    def end(self) -> Alike:
        """What to say about each student's exercise; if the process died, one line says so."""
        found: Alike = {}
        try:
            self._pipe.send(None)
            found, self.pairs = self._pipe.recv()
        except (OSError, EOFError):
            print(say("similarity.died"), file=sys.stderr)
        self._process.kill()
        self._process.join()
        self._pipe.close()
        return found


def works(slug: str) -> Iterator[str]:
    """Under which names something may be said of a student's exercise, or of its tests."""
    yield slug
    yield PROOF + slug
    yield from (f"{PROOF}{slug} {kind}" for kind in ABOUT_ONE)


def _compare(pipe: Any, given: Mapping[str, list[str]] | None) -> None:
    from kata.grading.similarity.proofs import ProofComparison
    from kata.grading.similarity.similarity import Comparison

    answers, proofs = Comparison(given), ProofComparison()
    own: Alike = {}
    try:
        while received := pipe.recv():
            student, files = received
            tests = {slug: each for slug, each in files.items() if slug.startswith(PROOF)}
            listen(answers, student, {slug: files[slug] for slug in files.keys() - tests.keys()})
            listen(proofs, student, tests)
            own |= _of_proofs(student, tests)
    except (EOFError, OSError):  # the grader is gone
        return
    found, pairs = likenesses(answers)
    alike, _ = likenesses(proofs)
    tested = {
        (student, PROOF + slug): replace(each, text=say("similarity.tests", flag=each.text))
        for (student, slug), each in alike.items()
    }
    pipe.send((found | tested | own, pairs))


def listen(comparison: "Comparison", student: str, files: Mapping[str, bytes]) -> None:
    """Add the files of a student to the comparison."""
    for slug, content in files.items():
        with suppress(Exception):  # its verdict or its flags will say so
            exercise = exercises()[slug.removeprefix(PROOF)]
            comparison.add(student, exercise, decoded(slug, content))


def _of_proofs(student: str, tests: Mapping[str, bytes]) -> Alike:
    """What is to be said of a student's tests by themselves."""
    from kata.grading.similarity.proofs import flags

    found: Alike = {}
    for name, content in tests.items():
        with suppress(Exception):  # its verdict says so
            for each in flags(exercises()[name.removeprefix(PROOF)], decoded(name, content)):
                text = say("similarity.tests", flag=each.text)
                found[student, f"{name} {each.kind}"] = Likeness((student,), 0.0, text)
    return found


def likenesses(comparison: "Comparison") -> tuple[Alike, list[TwoWorks]]:
    """What the comparison has found."""
    from kata.grading.similarity.flags import alike

    found = comparison.groups()
    told = {
        (student, exercise.slug): Likeness(group.students, group.near, alike(group, student).text)
        for exercise, groups in found.items()
        for group in groups
        for student in group.students
    }
    return told, comparison.pairs(found)
