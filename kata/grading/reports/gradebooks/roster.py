"""Which row of a platform's table belongs to which student."""

from collections.abc import Iterable
from dataclasses import dataclass

from kata.class_verdict import SubmissionVerdict
from kata.grading.collecting.names import fold


@dataclass(frozen=True)
class Person:
    """A student in the table: the row, and how the platform names them."""

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
    """The students of a table, found by number or name."""

    def __init__(self, people: Iterable[Person]) -> None:
        self._by_id: dict[str, list[Person]] = {}
        self._by_name: dict[str, list[Person]] = {}
        for each in people:
            for number in dict.fromkeys(filter(None, each.ids)):
                self._by_id.setdefault(number, []).append(each)
            for name in dict.fromkeys(map(fold, _names(each))):
                self._by_name.setdefault(name, []).append(each)

    def find(self, verdict: SubmissionVerdict) -> list[Person]:
        """Who it may be: no student, one, or several who cannot be told apart.

        A number decides between students of the same name. If number and name belong to different
        students, neither decides. A number alone is enough only if it is the platform's own: a
        number of another system may belong to somebody else.
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
