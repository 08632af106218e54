"""Who of a class has handed in nearly the same as somebody else.

In a process of its own, which reads everything once more: what it keeps of a large class is nobody
else's burden, and what a file may do to a parser is not, either.
"""

import multiprocessing
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from kata.curriculum import exercises
from kata.grading.listing import Student
from kata.source import UnusableError, decoded

Alike = dict[str, dict[str, str]]  # student, exercise: what is to be said


def alike_in(students: Sequence[Student], slugs: Sequence[str]) -> Alike:
    """What is to be said of each student; nothing, if that cannot be found out."""
    if len(students) < 2:
        return {}
    context = multiprocessing.get_context("spawn")
    mine, theirs = context.Pipe(duplex=False)
    process = context.Process(target=_serve, args=(theirs, students, slugs), daemon=True)
    process.start()
    theirs.close()
    try:
        found: Alike = mine.recv()
    except EOFError:
        return {}
    finally:
        process.kill()
        process.join()
    return found


def _serve(pipe: Any, students: Sequence[Student], slugs: Iterable[str]) -> None:
    pipe.send(_found(students, set(slugs)))


def _found(students: Sequence[Student], slugs: set[str]) -> Alike:
    from kata.grading.flags import alike
    from kata.grading.intake import read
    from kata.grading.likeness import Likeness

    likeness = Likeness()
    for student in students:
        for slug, text in _texts(read(student).files, slugs):
            likeness.add(student.name, exercises()[slug], text)
    said: Alike = {}
    for exercise, groups in likeness.groups().items():
        for group in groups:
            for name in group.students:
                said.setdefault(name, {})[exercise.slug] = alike(group, name).text
    return said


def _texts(files: Mapping[str, bytes], slugs: set[str]) -> Iterable[tuple[str, str]]:
    for slug in slugs & files.keys():
        try:
            yield slug, decoded(slug, files[slug])
        except UnusableError:
            continue
