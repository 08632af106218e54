"""Which students of a class handed in nearly the same program.

Names, comments, layout and order do not count (see `steps`). Short right answers are naturally
alike, so only programs that are more alike than honest work are reported.
"""

import heapq
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from hashlib import sha256
from itertools import combinations, islice

from rapidfuzz import process
from rapidfuzz.distance import Indel

from kata.course.curriculum import Exercise, exercises
from kata.course.source import read
from kata.grading.similarity.pairs import TwoWorks
from kata.grading.similarity.steps import program

# A shared step is evidence for a copy and counts 1. A step that only one of two programs has is
# evidence against it and counts 5. No two honest answers in this project score more than 16, and
# few reach 0. But where a stub names all parts, two people who never met write the same: all of the
# 24 steps of ex28.
AGAINST = 5
ENOUGH = 20
ENOUGH_OF = {"ex28": 30}
LARGEST = 1000  # steps, ten times what any answer needs; comparing more would be slow
MOST_PAIRS = 100
MANY = 20  # students of a group who are compared across exercises


@dataclass(frozen=True)
class Group:
    """Students whose files for one exercise are alike.

    Attributes:
        students: their names, sorted.
        near: each shares at least this part of its steps with the most similar one.
        exercises: the most exercises in which the same two of them are alike.
    """

    students: tuple[str, ...]
    near: float
    exercises: int = 1


class Comparison:
    """Takes files one by one, keeping a few hundred bytes of each, and groups similar ones.

    Args:
        given: texts that everybody had, by exercise: what they do is evidence for nothing.
    """

    def __init__(self, given: Mapping[str, Iterable[str]] | None = None) -> None:
        self._given = {slug: _letters(slug, texts) for slug, texts in (given or {}).items()}
        self._programs: defaultdict[Exercise, dict[str, str]] = defaultdict(dict)
        self._texts: defaultdict[Exercise, dict[str, bytes]] = defaultdict(dict)

    def add(self, student: str, exercise: Exercise, text: str) -> None:
        """Add a student's file, unless it is too small to compare or the same as the reference.

        Files that are similar to the reference are also similar to each other; of these, only equal
        texts are evidence for a copy.
        """
        letters = self._own(exercise, self.letters(exercise, text))
        for known in (self._programs[exercise], self._texts[exercise]):
            known.pop(student, None)
        if not can_tell(exercise, letters) or letters == self.reference(exercise):
            return
        if are_alike(exercise, letters, self.reference(exercise)):
            self._texts[exercise][student] = _digest(text)
        else:
            self._programs[exercise][student] = letters

    def letters(self, exercise: Exercise, text: str) -> str:
        """What a file does, a character for each step."""
        return program(exercise, text).letters

    def reference(self, exercise: Exercise) -> str:
        """What everybody may have seen does."""
        return reference(exercise)

    def groups(self) -> dict[Exercise, list[Group]]:
        """Students who are alike, the most similar first."""
        known = {**self._programs, **self._texts}
        found = {each: [*self._equal(each), *_groups(each, self._programs[each])] for each in known}
        return _compared({exercise: each for exercise, each in found.items() if each})

    def pairs(self, groups: Mapping[Exercise, list[Group]]) -> list[TwoWorks]:
        """The strongest pairs of these groups."""
        found = (pair for each, those in groups.items() for one in those
                 for pair in self._pairs(each, one))  # fmt: skip
        return heapq.nlargest(MOST_PAIRS, found)

    def _pairs(self, exercise: Exercise, group: Group) -> Iterator[TwoWorks]:
        known = self._programs[exercise]
        for one, other in combinations(group.students[:MANY], 2):
            a, b = (known.get(each, self.reference(exercise)) for each in (one, other))
            if are_alike(exercise, a, b):
                yield TwoWorks(evidence(a, b), nearness(a, b), exercise.slug, one, other)

    def _own(self, exercise: Exercise, letters: str) -> str:
        given = self._given.get(exercise.slug, frozenset())
        return "".join(each for each in letters if each not in given)

    def _equal(self, exercise: Exercise) -> Iterator[Group]:
        students: defaultdict[bytes, list[str]] = defaultdict(list)
        for student, text in self._texts[exercise].items():
            students[text].append(student)
        yield from (Group(tuple(sorted(each)), 1.0) for each in students.values() if each[1:])


def _letters(slug: str, texts: Iterable[str]) -> frozenset[str]:
    exercise = exercises()[slug]
    return frozenset(letter for each in texts for letter in program(exercise, each).letters)


def _digest(text: str) -> bytes:
    """A hash that does not depend on line endings."""
    return sha256("\n".join(text.rstrip().splitlines()).encode()).digest()


def enough(exercise: Exercise) -> int:
    """How much evidence it takes here to call two programs alike."""
    return ENOUGH_OF.get(exercise.short, ENOUGH)


def can_tell(exercise: Exercise, letters: str) -> bool:
    """Whether a program is large enough for similarity to mean anything."""
    return enough(exercise) <= len(letters) <= LARGEST


def are_alike(exercise: Exercise, one: str, other: str) -> bool:
    """Whether two programs are more alike than honest work explains."""
    return max(len(one), len(other)) <= LARGEST and evidence(one, other) >= enough(exercise)


def evidence(one: str, other: str) -> int:
    """How strong the evidence is that one of these programs is a copy of the other."""
    apart = Indel.distance(one, other)
    return (len(one) + len(other) - apart) // 2 - AGAINST * apart


def nearness(one: str, other: str) -> float:
    """The share of their steps that they have in common."""
    return Indel.normalized_similarity(one, other)


@cache
def reference(exercise: Exercise) -> str:
    """The letters of the reference solution."""
    return program(exercise, read(exercise.solution).text).letters


def _groups(exercise: Exercise, programs: Mapping[str, str]) -> list[Group]:
    students: defaultdict[str, list[str]] = defaultdict(list)
    for student, letters in programs.items():
        students[letters].append(student)
    pairs = list(_pairs(exercise, students))
    nearest = _nearest(students, pairs)
    groups = []
    for cluster in _clusters(students, pairs):
        names = sorted(name for letters in cluster for name in students[letters])
        if len(names) > 1:
            groups.append(Group(tuple(names), min(nearest[letters] for letters in cluster)))
    return sorted(groups, key=lambda group: (-group.near, group.students))


def _pairs(exercise: Exercise, programs: Iterable[str]) -> Iterator[tuple[str, str]]:
    shortest_first = sorted(programs, key=len)
    for index, one in enumerate(shortest_first):
        most = (
            len(one) - enough(exercise)
        ) // AGAINST  # a greater distance cannot be enough evidence
        end = bisect_right(shortest_first, len(one) + most, key=len)
        others = islice(shortest_first, index + 1, end)
        near = process.extract_iter(one, others, scorer=Indel.distance, score_cutoff=most)
        yield from ((one, other) for other, _, _ in near if are_alike(exercise, one, other))


def _nearest(
    students: Mapping[str, list[str]], pairs: Iterable[tuple[str, str]]
) -> dict[str, float]:
    """For each program the nearness of the most similar one: 1 if two students have the same."""
    found = {letters: float(len(names) > 1) for letters, names in students.items()}
    for one, other in pairs:
        near = nearness(one, other)
        found[one], found[other] = max(near, found[one]), max(near, found[other])
    return found


def _clusters(programs: Iterable[str], pairs: Iterable[tuple[str, str]]) -> list[set[str]]:
    """Programs connected by pairs, directly or through others; most are alone."""
    of = {letters: {letters} for letters in programs}
    for one, other in pairs:
        if of[one] is not of[other]:
            of[one] |= of[other]
            of.update(dict.fromkeys(of[other], of[one]))
    return list({id(each): each for each in of.values()}.values())


def _compared(groups: dict[Exercise, list[Group]]) -> dict[Exercise, list[Group]]:
    """The same groups, with the number of exercises in which their students are alike."""
    places: defaultdict[str, set[tuple[Exercise, int]]] = defaultdict(set)
    for exercise, found in groups.items():
        for number, group in enumerate(found):
            for student in group.students:
                places[student].add((exercise, number))
    return {
        exercise: [replace(group, exercises=_meetings(group, places)) for group in found]
        for exercise, found in groups.items()
    }


def _meetings(group: Group, places: Mapping[str, set[tuple[Exercise, int]]]) -> int:
    pairs = combinations(group.students[:MANY], 2)
    return max(len(places[one] & places[other]) for one, other in pairs)
