"""Who is who: people by any of their names, numbers, logins and addresses."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from unicodedata import combining, normalize

from kata.grading.collecting.names import fold

TEAM = re.compile(r"^(?:team|group)(?=.)")


@dataclass(frozen=True)
class Person:
    """Somebody of the class, as a roster names them."""

    name: str
    ids: tuple[str, ...] = ()
    login: str = ""
    email: str = ""
    section: str = ""
    team: str = ""
    handed_in: str = ""

    @property
    def id(self) -> str:
        """The first of the numbers."""
        return self.ids[0] if self.ids else ""

    @property
    def exact(self) -> tuple[str, ...]:
        """What stands for nobody else."""
        return (self.name, *self.ids, self.login, self.email)


def squeezed(name: str) -> str:
    """Letters and digits alone: `doejane`, as Canvas names files."""
    return "".join(filter(str.isalnum, fold(name)))


def orders(name: str) -> Iterator[str]:
    """The name with another word in front, squeezed: `Jane van Doe` is `vandoejane`, too."""
    words = name.replace(",", " ").split()
    for place in range(len(words)):
        yield squeezed("".join(words[place:] + words[:place]))


def bare(*names: str) -> set[str]:
    """The same, without accents: `Renée` is `renee`, too."""
    return {without_accents(order) for name in names for order in orders(name)}


def without_accents(text: str) -> str:
    """The letters that remain if all marks on them are taken away."""
    return "".join(each for each in normalize("NFD", text) if not combining(each))


def team_name(name: str) -> str:
    """Squeezed, and without the word team or group in front: `Team Rocket` is `rocket`."""
    return TEAM.sub("", squeezed(name))


class People:
    """Those of a class, to be looked up."""

    def __init__(self, everybody: Iterable[Person]) -> None:
        self.everybody = tuple(everybody)
        self._exact: dict[str, list[Person]] = {}
        self._loose: dict[str, list[Person]] = {}
        self._bare: dict[str, list[Person]] = {}
        self._teams: dict[str, list[Person]] = {}
        for each in self.everybody:
            self._add(each)

    def _add(self, person: Person) -> None:
        for key in {fold(each) for each in person.exact if each}:
            self._exact.setdefault(key, []).append(person)
        for key in set(orders(person.name)):
            self._loose.setdefault(key, []).append(person)
        for key in bare(person.name):
            self._bare.setdefault(key, []).append(person)
        if team := team_name(person.team):
            self._teams.setdefault(team, []).append(person)

    def find(self, name: str, number: str = "") -> list[Person]:
        """Who is called so: nobody, one, or several who cannot be told apart.

        A number decides between people of one name. If number and name belong to different people,
        neither decides. Accents may be left out where that leaves one person.
        """
        named = self._exact.get(fold(name), []) or self._loose.get(squeezed(name), [])
        if not named:
            alike = self._bare.get(without_accents(squeezed(name)), [])
            named = alike if len(alike) == 1 else []
        numbered = [each for each in self._exact.get(fold(number), []) if number in each.ids]
        both = [each for each in named if each in numbered]
        return both or list(dict.fromkeys([*numbered, *named]))

    def team(self, name: str) -> list[Person]:
        """The members of a team, also if it is written `team-rocket`, or `Rocket`."""
        return self._teams.get(team_name(name), []) if squeezed(name) else []

    def members(self, name: str, numbers: str) -> list[Person]:
        """Those in a list like `Ada Lovelace, Ben Okafor`, if at least one of them is known."""
        names, ids = name.split(", "), numbers.split(", ")
        ids = ids if len(ids) == len(names) else [""] * len(names)
        found = [self.find(*each) for each in zip(names, ids, strict=True)]
        if len(names) < 2 or not any(found):
            return []
        pairs = zip(names, ids, found, strict=True)
        return [one[0] if len(one) == 1 else _stranger(*each) for *each, one in pairs]


def _stranger(name: str, number: str) -> Person:
    """Somebody whom the roster does not name."""
    return Person(name, (number,) if number else ())
