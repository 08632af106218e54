"""Who of a class has handed in nearly the same as somebody else, found out in another process.

What is kept of a large class is no burden on the one that gives out the work, and what a file may
do to a parser is no danger to it.
"""

import multiprocessing
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from kata.course.curriculum import exercises
from kata.course.source import UnusableError, decoded

Said = dict[tuple[str, str], str]  # of a student's exercise


class SimilarityProcess:
    """Hears of everybody's files, one after the other."""

    def __init__(self) -> None:
        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=_listen, args=(theirs,), daemon=True)
        self._process.start()
        theirs.close()

    def add(self, student: str, files: Mapping[str, bytes]) -> None:
        """Take note of what somebody has handed in."""
        with suppress(OSError):  # it has died, and will have nothing to say
            self._pipe.send((student, dict(files)))

    def end(self) -> Said:
        """What is to be said; nothing, if that could not be found out."""
        found: Said = {}
        with suppress(OSError, EOFError):
            self._pipe.send(None)
            found = self._pipe.recv()
        self._process.kill()
        self._process.join()
        self._pipe.close()
        return found


def _listen(pipe: Any) -> None:
    from kata.grading.similarity.flags import alike
    from kata.grading.similarity.similarity import Likeness

    likeness = Likeness()
    try:
        while heard := pipe.recv():
            student, files = heard
            for slug, content in files.items():
                with suppress(UnusableError):  # that is said of it when it is judged
                    likeness.add(student, exercises()[slug], decoded(slug, content))
    except (EOFError, OSError):  # whoever asked is gone
        return
    pipe.send(
        {
            (student, exercise.slug): alike(group, student).text
            for exercise, groups in likeness.groups().items()
            for group in groups
            for student in group.students
        }
    )
