"""The people of a class, by any of their names, numbers, logins and addresses.

Called by `plan`, `adjusted`, `anonymous` and `reports`. It also finds the authors of work; where
names do not settle that, the instructor decides. It reads rosters, and writes nothing.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from unicodedata import combining, normalize

from kata.errors import UserError
from kata.grading.collecting.names import few, fold, unique_names
from kata.grading.collecting.students import Student
from kata.grading.tables import read_sheet
from kata.text import line

TEAM = re.compile(r"^(?:team|group)(?=.)")
# The headings of a roster of one's own come first, then those of platforms' exports.
HEADINGS = {
    "name": ("name", "full_name", "student", "student_name", "roster_identifier"),
    "first": ("first_name", "firstname", "given_name"),
    "last": ("last_name", "lastname", "surname", "family_name"),
    "id": ("id", "student_id", "user_id", "id_number", "sid", "number", "identifier"),
    "other": ("sis_user_id",),
    "login": ("login", "username", "github_username", "sis_login_id"),
    "email": ("email", "email_address", "e-mail", "mail"),
    "section": ("section", "sections", "tutorial"),
    "team": ("team", "team_name", "group", "groups"),
    "handed_in": ("handed_in", "submission_timestamp", "last_modified_(submission)"),
}
WHO = {"name", "first", "last", "id", "login", "email"}
NOT_A_PERSON = {"points possible", "student, test"}  # rows of Canvas


@dataclass(frozen=True)
class Person:
    """Somebody of the class, as a roster or a platform names them."""

    name: str
    ids: tuple[str, ...] = ()
    login: str = ""
    email: str = ""
    section: str = ""
    team: str = ""
    handed_in: str = ""
    spellings: tuple[str, ...] = ()  # of the name, as a platform writes it in other places
    foreign_ids: tuple[str, ...] = ()  # of other systems, which only confirm a name
    row: int = 0  # of a platform's table, where two people may be alike in all else

    @property
    def id(self) -> str:
        """The first of the numbers."""
        return self.ids[0] if self.ids else ""

    @property
    def numbers(self) -> tuple[str, ...]:
        """All numbers, including those of other systems."""
        return tuple(filter(None, (*self.ids, *self.foreign_ids)))

    @property
    def names(self) -> tuple[str, ...]:
        """All texts that can only mean this person or a namesake."""
        return tuple(filter(None, (self.name, self.login, self.email, *self.spellings)))


class People:
    """The people of a class, indexed by name, number and team."""

    def __init__(self, everybody: Iterable[Person]) -> None:
        self.everybody = tuple(everybody)
        self._index: dict[tuple[str, str], list[Person]] = {}
        for person in self.everybody:
            numbered = (f"{name} ({number})" for name in person.names for number in person.numbers)
            keys = {
                "name": map(fold, (*person.names, *numbered)),
                "id": map(fold, person.ids),
                "order": _orders(person.name),
                "bare": bare(person.name),
                "team": [_team_name(person.team)],
            }
            for key in dict.fromkeys((kind, text) for kind in keys for text in keys[kind] if text):
                self._index.setdefault(key, []).append(person)

    def _by(self, kind: str, text: str) -> list[Person]:
        return self._index.get((kind, text), [])

    def find(self, name: str, number: str = "") -> list[Person]:
        """Find the people that a name may mean: nobody, one person, or several.

        The name may be a number or have its words in another order, and accents may be left out
        where that leaves one person.
        """
        named = [*self._by("name", fold(name)), *self._by("id", fold(name))]
        named = named or self._by("order", _squeezed(name))
        alike = self._by("bare", without_accents(_squeezed(name)))
        return self._tell_apart(named or (alike if len(alike) == 1 else []), number)

    def find_exactly(self, name: str, number: str = "") -> list[Person]:
        """Find who has exactly this name or number, for marks that nobody checks afterwards."""
        return self._tell_apart(self._by("name", fold(name)), number)

    def _tell_apart(self, named: list[Person], number: str) -> list[Person]:
        """Decide between people of one name by a number.

        If number and name belong to different people, neither decides. A number alone is enough
        only if it is the platform's own: one of another system may belong to somebody else.
        """
        confirmed = [person for person in named if number in person.numbers]
        numbered = [person for person in self._by("id", fold(number)) if number in person.ids]
        return list(dict.fromkeys(confirmed or [*numbered, *named]))

    def team(self, name: str) -> list[Person]:
        """Find the members of a team, however it is written: `team-rocket` or `Rocket`."""
        return self._by("team", _team_name(name)) if _squeezed(name) else []

    def members(self, name: str, numbers: str) -> list[Person]:
        """Read a list like `Ada Lovelace, Ben Okafor`, if at least one of them is in the class."""
        names, ids = name.split(", "), numbers.split(", ")
        ids = ids if len(ids) == len(names) else [""] * len(names)
        matches = [self.find(*pair) for pair in zip(names, ids, strict=True)]
        if len(names) < 2 or not any(matches):
            return []
        return [people[0] if len(people) == 1 else Person(name, (number,) if number else ())
                for name, number, people in zip(names, ids, matches, strict=True)]  # fmt: skip


def _squeezed(name: str) -> str:
    """Letters and digits alone: `doejane`, as Canvas names files."""
    return "".join(filter(str.isalnum, fold(name)))


def _orders(name: str) -> Iterator[str]:
    """Yield a name with every word in front, squeezed: `Jane van Doe` is also `vandoejane`."""
    words = name.replace(",", " ").split()
    for place in range(len(words)):
        yield _squeezed("".join(words[place:] + words[:place]))


def bare(*names: str) -> set[str]:
    """Squeeze names in every word order, without accents: `Renée` is `renee`, too."""
    return {without_accents(order) for name in names for order in _orders(name)}


def without_accents(text: str) -> str:
    """Strip all accents from the letters of a text."""
    return "".join(letter for letter in normalize("NFD", text) if not combining(letter))


def _team_name(name: str) -> str:
    """Squeeze a team's name, without a team or group in front: `Team Rocket` is `rocket`."""
    return TEAM.sub("", _squeezed(name))


def names_of(people: Iterable[Person]) -> dict[Person, str]:
    """Give everybody a unique name, with a number or a login if needed."""
    everybody = list(dict.fromkeys(people))
    names = ((person.name, person.id or person.login or person.email) for person in everybody)
    return dict(zip(everybody, unique_names(names), strict=True))


# The list of a class


def read_roster(path: Path) -> list[Person]:
    """Read everybody in a roster; a UserError says why it cannot be read."""
    sheet = read_sheet(path)
    fitting = {field: [name for name in names if name in sheet.headings]
               for field, names in HEADINGS.items()}  # fmt: skip
    columns = {field: names[0] for field, names in fitting.items() if names}
    if not columns.keys() & WHO:
        raise UserError(
            f"{path} has no column that tells who is who: name, first name and last name, id, "
            "login or email"
        )
    everybody = [_person(cells, columns) for _, cells in sheet.records()]
    names = (" ".join(person.name.casefold().split()) for person in everybody)
    return [person for person, name in zip(everybody, names, strict=True)
            if name and name not in NOT_A_PERSON]  # fmt: skip


def _person(record: Mapping[str, str], columns: Mapping[str, str]) -> Person:
    cells = dict.fromkeys(HEADINGS, "")
    cells |= {field: line(record[heading]) for field, heading in columns.items()}
    number = cells["id"].removeprefix("Participant ").strip()  # as in Moodle's worksheet
    ids = tuple(dict.fromkeys(filter(None, (number, cells["other"]))))
    name = cells["name"] or f"{cells['first']} {cells['last']}".strip()
    names = (name, cells["login"], cells["email"], *ids)
    return Person(next(filter(None, names), ""), ids, cells["login"], cells["email"],
                  cells["section"], cells["team"], cells["handed_in"])  # fmt: skip


# The authors of work


@dataclass(frozen=True)
class Author:
    """Somebody's part in one piece of work."""

    student: Student  # the owner of the work, judging by names of files
    person: Person  # who gets a mark for it
    on_roster: bool = False
    mates: tuple[Person, ...] = ()  # its other authors

    def work_name(self, names: dict[Person, str]) -> str:
        """Name the work after its author, or after its files if there are several."""
        return self.student.name if self.mates else names[self.person]


@dataclass(frozen=True)
class Attendance:
    """The authors of all work, the people without any, and questions to the instructor."""

    authors: tuple[Author, ...]
    missing: tuple[Person, ...] = ()
    undecided: tuple[str, ...] = ()

    @property
    def listed(self) -> int:
        """The number of people on the roster."""
        people = {author.person for author in self.authors if author.on_roster}
        return len(people) + len(self.missing)


def attendance(students: list[Student], roster: Path | None, *, strict: bool) -> Attendance:
    """Find the authors of all work, named as in the roster, else as in their work.

    Every member of a team is an author. If a few of a class are looked at again, `strict` is false:
    nobody is missing then, and nothing undecided.
    """
    if not roster:
        return Attendance(tuple(Author(student, _by_files(student)) for student in students))
    people = People(read_roster(roster))
    matches = {student: people.find(*_label(student)) for student in students}
    authors, undecided = _once(author for student, candidates in matches.items()
                               for author in _authors(student, candidates, people))  # fmt: skip
    if strangers := [author.person.name for author in authors if not author.on_roster]:
        undecided.append(
            f"not on the roster: {few(strangers)}; --names names.csv says who they are"
        )
    if namesakes := [line(person.name) for rivals in matches.values() if len(rivals) > 1
                     for person in rivals]:  # fmt: skip
        undecided.append(
            f"more than one on the roster is called {few(namesakes)}: a column id, login or email "
            "tells whose work it is"
        )
    if not strict:
        return Attendance(tuple(authors))
    present = {author.person for author in authors}
    missing = tuple(person for person in people.everybody if person not in present)
    return Attendance(tuple(authors), missing, tuple(undecided))


def _by_files(student: Student) -> Person:
    """Return the person whom the names of a student's files tell."""
    return Person(student.name, tuple(filter(None, [student.id])))


def _label(student: Student) -> tuple[str, str]:
    """Return name and number, as the first of a student's files has them."""
    return student.places[0].label.student, student.places[0].label.id


def _authors(student: Student, matches: list[Person], people: People) -> list[Author]:
    if len(matches) == 1:
        return [Author(student, matches[0], on_roster=True)]
    name, numbers = _label(student)
    members = people.team(name) or people.members(name, numbers)
    if not members:
        return [Author(student, _by_files(student))]
    return [
        Author(student, person, person in people.everybody,
               tuple(mate for mate in members if mate != person))
        for person in members
    ]  # fmt: skip


def _once(authors: Iterable[Author]) -> tuple[list[Author], list[str]]:
    """Leave one work to every person: own work counts before a team's; of two, neither does."""
    works: dict[Person, list[Author]] = {}
    for author in authors:
        works.setdefault(author.person, []).append(author)
    counting: list[Author] = []
    undecided: list[str] = []
    for person, own_works in works.items():
        alone = [author for author in own_works if not author.mates] or own_works
        if len(alone) == 1:
            counting += alone
            continue
        # Nobody can say which of them counts, so all are graded under their own names.
        counting += [
            replace(author, person=replace(_by_files(author.student), section=person.section),
                    on_roster=False)
            for author in alone
        ]  # fmt: skip
        undecided.append(
            f"{few(author.student.name for author in alone)} may all be {line(person.name)} of the "
            "roster: each was graded under its own name; --names names.csv says whose they are"
        )
    return counting, undecided
