"""What becomes of each piece of work: a mark for each who handed it in."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from kata.class_verdict import Missing
from kata.errors import UserError
from kata.grading.adjusting.adjusted import Entry
from kata.grading.adjusting.anonymous.codes import Codes
from kata.grading.adjusting.anonymous.hidden import work_name
from kata.grading.adjusting.choices import Choices
from kata.grading.adjusting.decided import Decisions
from kata.grading.adjusting.late_work.costs import Cost, cost
from kata.grading.adjusting.late_work.handing_in import HandedIn, times_of
from kata.grading.adjusting.late_work.moments import moment
from kata.grading.adjusting.people import Person
from kata.grading.adjusting.whose import Claimed, Whose
from kata.grading.collecting.names import fold
from kata.grading.collecting.students import Student
from kata.text import shown
from kata.words import say


@dataclass(frozen=True)
class Maker:
    """Makes the entries of a class."""

    choices: Choices
    names: dict[Person, str]
    decisions: Decisions
    codes: Codes | None = None

    def shown(self, name: str) -> str:
        """The name, or the code in its place."""
        return self.codes.of(name) if self.codes else name

    def entries(self, whose: Whose) -> tuple[list[Entry], dict[str, HandedIn]]:
        """One for each mark, in the order of the reports; and when who handed in."""
        zone = self.choices.deadline.zone if self.choices.deadline else None
        students = list({each.student.name: each.student for each in whose.claimed}.values())
        times = times_of(students, zone)
        found: dict[str, HandedIn] = {}
        made: list[Entry] = []
        for each in whose.claimed:
            handed = self._time(each, times[each.student.name])
            made.append(self._entry(each, handed))
            found[made[-1].student] = handed
        made += [self._without_work(each) for each in whose.missing if self.has_mark(each)]
        return sorted(made, key=lambda entry: (fold(entry.student), entry.number or "")), found

    def has_mark(self, person: Person) -> bool:
        """Whether the instructor has said how many points somebody gets, whatever is handed in."""
        return any(each.points is not None for each in self.decisions.get(person, ()))

    def _without_work(self, person: Person) -> Entry:
        """Somebody who has a mark and handed in nothing."""
        gone = self.missing(person)
        decided = self.decisions[person]
        return Entry("", gone.student, gone.id, gone.section, gone.team, overrules=decided)

    def _entry(self, claimed: Claimed, handed: HandedIn) -> Entry:
        person = claimed.person
        costs = self._cost(handed)
        return Entry(
            self.source(claimed),
            self.shown(self.names[person]),
            self._number(claimed),
            person.section,
            "" if self.codes else person.team,
            (*self._together(claimed), *costs.notes),
            costs.days,
            costs.cause,
            self.decisions.get(person, ()),
            "" if self.codes else uploaded(claimed.student),
        )

    def missing(self, person: Person) -> Missing:
        """Somebody who has handed in nothing."""
        name = self.shown(self.names[person])
        if self.codes:
            return Missing(name, section=person.section)
        return Missing(name, person.id, person.section, person.team)

    def called(self, whose: Whose) -> dict[str, str]:
        """What each work is called where another one is told to be like it."""
        found: dict[str, list[str]] = {}
        for each in whose.claimed:
            name = self.shown(self.names[each.person])
            found.setdefault(self.source(each), []).append(name)
        return {source: ", ".join(names) for source, names in found.items()}

    def source(self, claimed: Claimed) -> str:
        """The name under which the work is graded; for one person their own, where it is a code."""
        if self.codes:
            return self.codes.of(work_name(claimed, self.names))
        return claimed.student.name

    def _number(self, claimed: Claimed) -> str | None:
        """That of the roster, where the work has none of this person's own."""
        if self.codes:
            return ""
        if claimed.mates or (claimed.known and not claimed.student.id):
            return claimed.person.id
        return None

    def _together(self, claimed: Claimed) -> Iterator[str]:
        if claimed.mates:
            names = ", ".join(self.shown(self.names[each]) for each in claimed.mates)
            yield say("adjusting.together", names=names)

    def _cost(self, handed: HandedIn) -> Cost:
        end = self.choices.deadline
        return cost(handed, end, self.choices.late) if end else Cost()

    def _time(self, claimed: Claimed, known: HandedIn) -> HandedIn:
        """What the instructor says counts before what the platform says."""
        own = [each for each in self.decisions.get(claimed.person, ()) if each.handed_in]
        if own:
            return HandedIn(self._moment(own[0].handed_in, own[0].place))
        if text := claimed.person.handed_in:
            return HandedIn(self._moment(text, str(self.choices.roster)))
        return known

    def _moment(self, text: str, place: str) -> datetime:
        try:
            return moment(text, self.choices.deadline.zone if self.choices.deadline else None)
        except (ValueError, OverflowError):
            reason = say("adjusting.no-time", text=shown(text))
            raise UserError(say("adjusting.wrong-row", place=place, reason=reason)) from None


def uploaded(student: Student) -> str:
    """The platform's name for the last thing that was handed in, an archive if there is one."""

    def rank(at: int) -> tuple[bool, int]:
        place = student.places[at]
        return place.path.suffix == ".zip", place.label.order

    return student.places[max(range(len(student.places)), key=rank)].path.name
