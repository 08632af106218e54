"""The codes of a class, and all by which its people could be recognised."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from kata.grading.adjusting.adjusted import Entry
from kata.grading.adjusting.anonymous.codes import Codes
from kata.grading.adjusting.anonymous.hiding import Hider
from kata.grading.adjusting.people import Person
from kata.grading.adjusting.whose import Claimed, Whose
from kata.grading.collecting.students import Student
from kata.grading.collecting.submissions import HandedIn

SHORTEST = 4  # digits of a number that tells who somebody is


@dataclass(frozen=True)
class Hidden:
    """Codes by the name of the work, and what takes names out of texts."""

    codes: Mapping[str, str]
    hider: Hider

    def handed(self, handed: HandedIn) -> HandedIn:
        """The work under its code."""
        return self.hider.handed(handed, self.codes[handed.student])

    def entry(self, entry: Entry) -> Entry:
        """Without names in what the instructor has written."""
        hide = self.hider.text
        decided = (replace(each, comment=hide(each.comment), reason=hide(each.reason))
                   for each in entry.overrules)  # fmt: skip
        return replace(entry, overrules=tuple(decided))

    def ordered(self, students: Sequence[Student]) -> list[Student]:
        """By code: the order of what is written would tell the order of the names."""
        return sorted(students, key=lambda each: self.codes[each.name])


def hiding(whose: Whose, names: Mapping[Person, str], codes: Codes) -> Hidden:
    """Codes for everybody, and for all that they are called."""
    known: dict[str, str] = {}
    of_work: dict[str, str] = {}
    for person in names:
        known |= {each: codes.of(names[person]) for each in (names[person], *person.exact) if each}
    for each in whose.claimed:
        of_work[each.student.name] = codes.of(work_name(each, names))
        for name in _of_work(each.student):
            known.setdefault(name, of_work[each.student.name])
    return Hidden(of_work, Hider(known))


def work_name(claimed: Claimed, names: Mapping[Person, str]) -> str:
    """Whose code the work gets: that of its author, or one of its own if there are several."""
    return claimed.student.name if claimed.mates else names[claimed.person]


def _of_work(student: Student) -> Iterator[str]:
    """What names of files say of somebody."""
    yield student.name
    for place in student.places:
        numbers = (place.label.id, str(place.label.order))
        yield place.label.student
        yield from (each for each in numbers if len(each) >= SHORTEST)
