"""What was handed in: `for each in handed_in(path)`, one student after the other.

Nothing that a student hands in ends this: it becomes a line about that student.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from kata.course.curriculum import exercises
from kata.grading.collecting.names import few
from kata.grading.collecting.one_place import Found, gist, is_stub, work
from kata.grading.collecting.students import IntakeError, Location, Student, listing
from kata.words import say

__all__ = ["HandedIn", "IntakeError", "handed_in", "listing", "read"]


@dataclass(frozen=True)
class HandedIn:
    """The work of one student."""

    student: str  # as the names say; whoever prints it makes it safe
    files: Mapping[str, bytes]  # slug → what was handed in for it, as it is, right or wrong
    notes: tuple[str, ...] = ()  # what the instructor should know, one line each
    problem: str = ""  # why nothing of it can be graded, one line
    id: str = ""  # by which a learning platform knows the student

    @property
    def digest(self) -> str:
        """The same for the same content, whoever has handed it in."""
        total = sha256(self.problem.encode("utf-8", "backslashreplace"))
        for slug in sorted(self.files):
            content = self.files[slug]
            total.update(f"\0{slug}\0{len(content)}\0".encode() + content)
        return total.hexdigest()


@dataclass(frozen=True)
class Choice:
    """What counts of all that there is for one exercise."""

    slug: str
    content: bytes
    place: Location
    rivals: tuple[Location, ...]  # which hold something else, and are as late
    earlier: tuple[Location, ...]


def handed_in(path: Path) -> Iterator[HandedIn]:
    """Everybody's work, read one by one; an IntakeError, at once, if there is nobody's."""
    return map(read, listing(path))


def read(student: Student) -> HandedIn:
    """The work of one student, from all the places where it lies.

    Of two files for one exercise in two places the later counts, where names tell which that is:
    Canvas numbers its files, Blackboard has a date, `alice (1).zip` came after `alice.zip`. A stub
    never counts against what was written. Where nothing tells, nothing is graded: an instructor
    knows better than a guess.
    """
    works = [work(place) for place in student.places]
    choices = [each for slug in exercises() if (each := _choice(slug, works))]
    late = [say("collecting.late")] if any(each.label.late for each in student.places) else []
    told = [*_refused(works), *(note for each in works for note in each.notes)]
    if not choices:
        nothing = "; ".join(_nothing(works, told))
        return HandedIn(student.name, {}, tuple(late), nothing, student.id)
    if problem := _unclear(choices):
        return HandedIn(student.name, {}, (*late, *told), problem, student.id)
    again = [*_later(choices)] or [*_parts(student)]
    files = {each.slug: each.content for each in choices}
    return HandedIn(student.name, files, (*late, *again, *told), id=student.id)


def _choice(slug: str, works: list[Found]) -> Choice | None:
    found = [(each.place, each.pieces[slug].content) for each in works if slug in each.pieces]
    written = [each for each in found if not is_stub(slug, each[1])] or found
    if not written:
        return None
    last = max(place.label.order for place, _ in written)
    taken, content = next(each for each in written if each[0].label.order == last)
    others = [place for place, other in written if gist(other) != gist(content)]
    rivals = tuple(each for each in others if each.label.order == last)
    earlier = tuple(each for each in others if each.label.order < last)
    return Choice(slug, content, taken, rivals, earlier)


def _unclear(choices: list[Choice]) -> str:
    """The line about work that was handed in twice, when nothing tells which is the later."""
    unclear = [each for each in choices if each.rivals]
    names = few(place.shown for each in unclear for place in (each.place, *each.rivals))
    return say("collecting.unclear", names=names, shorts=_shorts(unclear)) if unclear else ""


def _later(choices: list[Choice]) -> Iterator[str]:
    """A line for each place from which something was taken though it was elsewhere, too."""
    again: dict[tuple[Location, tuple[Location, ...]], list[Choice]] = {}
    for each in choices:
        if each.earlier:
            again.setdefault((each.place, each.earlier), []).append(each)
    for (taken, earlier), about in again.items():
        left, names = few(each.shown for each in earlier), few([taken.shown])
        yield say("collecting.later", taken=names, left=left, shorts=_shorts(about))


def _shorts(choices: Iterable[Choice]) -> str:
    return ", ".join(exercises()[each.slug].short for each in choices)


def _parts(student: Student) -> Iterator[str]:
    """A line about work in several places, if no LMS has put it there."""
    if len(student.places) > 1 and not any(each.label.decorated for each in student.places):
        yield say("collecting.parts", names=few(each.shown for each in student.places))


def _refused(works: list[Found]) -> Iterator[str]:
    for each in works:
        if each.refused and len(works) == 1:
            yield each.refused
        elif each.refused:
            yield say("collecting.left", names=few([each.place.shown]), reason=each.refused)


def _nothing(works: list[Found], told: list[str]) -> Iterator[str]:
    """Why there is nothing to grade: what is there instead, and what could not be read."""
    others = few(name for each in works for name in each.others)
    if not any(each.refused for each in works):
        yield say(
            "collecting.nothing", holds=say("collecting.holds", names=others) if others else ""
        )
    yield from told
