"""Who gets a mark for which work, as a roster tells it."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import chain, count

from kata.grading.adjusting.people import People, Person
from kata.grading.collecting.names import few, fold
from kata.grading.collecting.students import Student
from kata.text import line
from kata.words import say


@dataclass(frozen=True)
class Claimed:
    """Somebody's part in one piece of work."""

    student: Student
    person: Person
    known: bool = True  # whether the roster names this person
    mates: tuple[Person, ...] = ()  # who have handed it in together, if it was more than one
    team: str = ""


@dataclass(frozen=True)
class Whose:
    """All marks to be given, who has none, and whose work is open."""

    claimed: tuple[Claimed, ...]
    missing: tuple[Person, ...]
    undecided: tuple[str, ...]  # what an instructor has to decide

    @property
    def listed(self) -> int:
        """How many the roster names."""
        return len({each.person for each in self.claimed if each.known}) + len(self.missing)


def without_roster(students: Iterable[Student]) -> Whose:
    """Everybody under the name of their own work."""
    return Whose(tuple(Claimed(each, own(each), known=False) for each in students), (), ())


def by_roster(students: Iterable[Student], people: People) -> Whose:
    """Everybody under the name that the roster has; each member of a team by themselves."""
    found = [each for student in students for each in _claims(student, people)]
    kept, told = _once(found)
    strangers = [each.person.name for each in kept if not each.known]
    if strangers:
        told.append(say("adjusting.not-on-roster", count=len(strangers), names=few(strangers)))
    if alike := [name for student in students for name in _several(student, people)]:
        told.append(say("adjusting.several", names=few(alike)))
    there = {each.person for each in kept}
    missing = tuple(each for each in people.everybody if each not in there)
    return Whose(tuple(kept), missing, tuple(told))


def own(student: Student) -> Person:
    """Somebody as the names of their files tell."""
    return Person(student.name, tuple(filter(None, [student.id])))


def _claims(student: Student, people: People) -> Iterator[Claimed]:
    label = student.places[0].label
    if len(found := people.find(label.student, label.id)) == 1:
        yield Claimed(student, found[0])
    elif team := people.team(label.student):
        yield from _of_team(student, team, team[0].team)
    elif group := people.members(label.student, label.id):
        known = set(people.everybody)
        for each in _of_team(student, group, ""):
            yield replace(each, known=each.person in known)
    else:
        yield Claimed(student, own(student), known=False)


def _several(student: Student, people: People) -> list[str]:
    """The people of the roster whose name is that of the work, if they cannot be told apart."""
    label = student.places[0].label
    found = people.find(label.student, label.id)
    return [line(each.name) for each in found] if len(found) > 1 else []


def _of_team(student: Student, members: list[Person], team: str) -> Iterator[Claimed]:
    for each in members:
        mates = tuple(other for other in members if other != each)
        yield Claimed(student, each, mates=mates, team=team)


def _once(found: list[Claimed]) -> tuple[list[Claimed], list[str]]:
    """One mark for each person: own work counts before a team's; of two nobody knows which."""
    owners: dict[Person, list[Claimed]] = {}
    for each in found:
        owners.setdefault(each.person, []).append(each)
    kept: list[Claimed] = []
    told: list[str] = []
    for person, several in owners.items():
        alone = [each for each in several if not each.mates] or several
        if len(alone) == 1:
            kept += alone
        else:
            kept += [_unnamed(each, person) for each in alone]
            names = few(each.student.name for each in alone)
            told.append(say("adjusting.one-person", names=names, person=line(person.name)))
    return kept, told


def _unnamed(claimed: Claimed, person: Person) -> Claimed:
    """Under the name of the work, because it is not known which of two works counts."""
    mine = own(claimed.student)
    return replace(claimed, person=replace(mine, section=person.section), known=False)


def unique_names(people: Iterable[Person]) -> dict[Person, str]:
    """A name for each that nobody else has: with a number or a login if needed."""
    everybody = list(dict.fromkeys(people))
    counts, used = Counter(fold(each.name) for each in everybody), set[str]()
    names: dict[Person, str] = {}
    for each in everybody:
        more = each.id or each.login or each.email
        several = counts[fold(each.name)] > 1 and more
        name = f"{each.name} ({more})" if several else each.name
        free = chain([name], (f"{name} [{number}]" for number in count(2)))
        names[each] = next(one for one in free if fold(one) not in used)
        used.add(fold(names[each]))
    return names
