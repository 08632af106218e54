"""Whom each of the instructor's decisions is about; what cannot be applied is told at once."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from kata.grading.adjusting import overrules
from kata.grading.adjusting.overrules import Overrule
from kata.grading.adjusting.people import People, Person
from kata.grading.adjusting.whose import Whose
from kata.grading.collecting.names import few, fold
from kata.text import shown
from kata.words import say

Decisions = dict[Person, tuple[Overrule, ...]]


@dataclass
class Finder:
    """Looks up whom a row names: a student in any spelling, or all members of a team."""

    whose: Whose
    names: dict[Person, str]
    name_of: Callable[[str], str]  # of a code
    _by_work: dict[str, list[Person]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Index those who can be meant."""
        for each in self.whose.claimed:
            for name in {fold(each.student.name), fold(self.names[each.person])}:
                self._by_work.setdefault(name, []).append(each.person)
        for person in self.whose.missing:
            self._by_work.setdefault(fold(self.names[person]), []).append(person)
        self._people = People(self.names)

    def find(self, word: str) -> list[Person]:
        """Nobody, one or several; a WrongRowError if it may be one or another."""
        name = self.name_of(word)
        if found := self._by_work.get(fold(name)) or self._people.team(name):
            return found
        found = self._people.find(name)
        if len(found) > 1:
            names = few(self.names[each] for each in found)
            raise overrules.WrongRowError(say("adjusting.ambiguous", name=shown(word), names=names))
        return found


def by_person(
    rows: list[Overrule], finder: Finder, wrong: Iterable[str] = (), *, strict: bool
) -> Decisions:
    """The rows about each; a UserError has a line for each that is about nobody or comes twice.

    `wrong` are lines about rows that are wrong already.
    """
    found: Decisions = {}
    told = list(wrong)
    for row in rows:
        try:
            for person in _meant(row, finder, strict=strict):
                found[person] = (*found.get(person, ()), row)
        except overrules.WrongRowError as error:
            told.append(say("adjusting.wrong-row", place=row.place, reason=error))
    overrules.refuse([*told, *(line for each in found.values() for line in _twice(each))])
    return found


def _meant(row: Overrule, finder: Finder, *, strict: bool) -> list[Person]:
    found = finder.find(row.student)
    if not found and strict:
        raise overrules.WrongRowError(say("adjusting.nobody", name=shown(row.student)))
    return found


def _twice(rows: tuple[Overrule, ...]) -> Iterator[str]:
    """Of two rows that give points for the same, neither can be said to count."""
    seen: set[tuple[str, bool]] = set()
    for row in rows:
        key = (row.slug, bool(row.handed_in))
        if row.points is not None or row.handed_in:
            if key in seen:
                yield say("adjusting.wrong-row", place=row.place, reason=say("adjusting.twice"))
            seen.add(key)
