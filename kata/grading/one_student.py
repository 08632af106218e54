"""Grading one student of a class again: whom `--again` names, and where a single work is graded."""

from collections.abc import Collection
from pathlib import Path

from kata.course.naming import did_you_mean
from kata.errors import UserError
from kata.grading.adjusting.adjusted import Adjusting
from kata.grading.adjusting.people import bare
from kata.grading.changes import scores_in
from kata.grading.collecting.students import Student
from kata.grading.reports.tables import harmless
from kata.text import shown
from kata.words import say

APART = "single"  # the folder, in that of a class, for the grades of single students


def meant(names: Collection[str], everybody: Adjusting) -> tuple[str, ...]:
    """Whose work is meant by these names; raises UserError if one of them is nobody's."""
    return tuple(source for name in names for source in _called(name, everybody))


def _called(name: str, everybody: Adjusting) -> tuple[str, ...]:
    if found := everybody.called(name):
        return found
    if bare(name) & bare(*(each.student for each in everybody.missing)):
        raise UserError(say("grading.absent", name=shown(name)))
    close = did_you_mean(name, [each.student for each in everybody.entries if each.source])
    raise UserError(say("grading.nobody", name=shown(name), close=close))


def place(submissions: Path, grades: Path, students: Collection[Student]) -> Path:
    """Where the grades go: a single work never replaces the tables of a class."""
    if not _is_one(submissions, students):
        return grades
    (student,) = students
    others = scores_in(grades).keys() - {harmless(student.name)}
    return grades / APART / submissions.resolve().name if others else grades


def _is_one(submissions: Path, students: Collection[Student]) -> bool:
    """Whether the path is the work of one student, and no folder of a class with one student."""
    path = submissions.resolve()
    return len(students) == 1 and all(each.path == path for one in students for each in one.places)
