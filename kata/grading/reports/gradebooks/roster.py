"""Whose line in a platform's table a verdict belongs to."""

from collections.abc import Iterable
from dataclasses import dataclass

from kata.grading.collecting.names import fold
from kata.verdict import SubmissionVerdict


@dataclass(frozen=True)
class Person:
    """Somebody in the table: the line, and what the platform calls them."""

    row: int
    shown: str
    ids: tuple[str, ...]
    names: tuple[str, ...]
    others: tuple[str, ...] = ()  # numbers of other systems, which only confirm a name

    @property
    def numbers(self) -> tuple[str, ...]:
        """All of them."""
        return tuple(filter(None, (*self.ids, *self.others)))


class Roster:
    """Everybody in the table, to be found by number or name."""

    def __init__(self, people: Iterable[Person]) -> None:
        self._by_id: dict[str, list[Person]] = {}
        self._by_name: dict[str, list[Person]] = {}
        for each in people:
            for number in dict.fromkeys(filter(None, each.ids)):
                self._by_id.setdefault(number, []).append(each)
            for name in dict.fromkeys(map(fold, _names(each))):
                self._by_name.setdefault(name, []).append(each)

    def find(self, verdict: SubmissionVerdict) -> list[Person]:
        """Who it may be: nobody, one, or several between whom nothing decides.

        A number decides between people of one name; where number and name lead to different
        people, neither is believed. Alone it is believed only if it is the platform's own: that of
        another system may be anybody's.
        """
        named = self._by_name.get(fold(verdict.student), [])
        numbered = self._by_id.get(verdict.id, [])
        both = [each for each in named if verdict.id in each.numbers]
        return both or [*numbered, *named]


def _names(person: Person) -> Iterable[str]:
    """Two of the same name are shown as `Jane Doe (101)`."""
    for name in filter(None, person.names):
        yield name
        yield from (f"{name} ({number})" for number in person.numbers)
