"""Which students of a class handed in nearly the same program, or nearly the same tests.

Names, comments, layout and order do not count (see `steps`). Short right answers are naturally
alike, so only programs that are more alike than honest work are reported. Judges call `work_of`,
`run` calls `likenesses` when all are judged. Nothing here reads a file or changes a mark.
"""

import heapq
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from hashlib import sha256
from itertools import combinations, islice
from pathlib import Path

from rapidfuzz import process
from rapidfuzz.distance import Indel

from kata.class_verdict import Work
from kata.course.curriculum import ROOT, Exercise, exercises
from kata.course.source import decoded, read
from kata.errors import UserError
from kata.grading.steps import program
from kata.marks import PROOF
from kata.proofs.law import PREFIX

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
NAMED = 3  # students whom a flag names
MODELS = ROOT / "tests" / "proofs"


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


@dataclass(frozen=True, order=True)
class TwoWorks:
    """Two students whose files for one exercise are alike.

    Attributes:
        evidence: how strong it is.
        near: the share of steps that they have in common.
    """

    evidence: int
    near: float
    exercise: str
    one: str
    other: str


@dataclass(frozen=True)
class Likeness:
    """That the files of some students for one exercise are much alike.

    Attributes:
        students: who they are.
        near: the share of steps that each of them has in common with another one; 0 if it is about
            one student alone.
        text: the flag of one of them.
    """

    students: tuple[str, ...]
    near: float
    text: str = field(compare=False)


Alike = dict[tuple[str, str], Likeness]  # (student, exercise or proof) → with whom
ABOUT_ONE = ("model", "oracle")  # kinds of flags of a proof by itself


def likenesses(
    works: Iterable[tuple[str, Iterable[Work]]], given: Mapping[str, Iterable[str]] | None = None
) -> tuple[Alike, list[TwoWorks]]:
    """Compare a class; returns what to say about each student's work, and the strongest pairs.

    Args:
        works: of each student, by name.
        given: texts that everybody had, by exercise.
    """
    answers, tests = Comparison(given), Comparison()
    alike: Alike = {}
    for student, own in works:
        for work in own:
            (tests if work.name.startswith(PROOF) else answers).add(student, work)
            for kind, text in work.flags:
                alike[student, f"{work.name} {kind}"] = Likeness((student,), 0.0, of_tests(text))
    groups = answers.groups()
    return alike | _told(groups) | _told(tests.groups()), answers.pairs(groups)


def _told(groups: Mapping[str, list["Group"]]) -> Alike:
    alike: Alike = {}
    for name, group in ((name, group) for name, same in groups.items() for group in same):
        for student in group.students:
            text = flag(group, student)
            text = of_tests(text) if name.startswith(PROOF) else text
            alike[student, name] = Likeness(group.students, group.near, text)
    return alike


@dataclass
class Pair:
    """Two students, or more, whose work is much alike.

    `near` is the share of equal steps in the exercise in which they are nearest.
    """

    students: tuple[str, ...]
    shorts: list[str] = field(default_factory=list)
    near: float = 0.0


def pairs(alike: Alike) -> list[Pair]:
    """Each with all their exercises; those who share most first."""
    by_students: dict[tuple[str, ...], Pair] = {}
    places = {(work, likeness.students, likeness) for (_, work), likeness in alike.items()}
    for work, students, likeness in sorted(places, key=lambda place: place[:2]):
        if len(students) > 1:
            pair = by_students.setdefault(students, Pair(students))
            short = exercises()[work.removeprefix(PROOF)].short
            pair.shorts.append(f"tests of {short}" if work.startswith(PROOF) else short)
            pair.near = max(pair.near, likeness.near)
    return sorted(by_students.values(), key=lambda pair: (-len(pair.shorts), pair.students))


def given(folder: Path) -> dict[str, list[str]]:
    """The texts of a folder, however deep they lie in it, by the exercise they belong to."""
    if not folder.is_dir():
        raise UserError(f"{folder} is not a folder; --given takes one with the code that everybody "
                        "had")  # fmt: skip
    texts: dict[str, list[str]] = {}
    for path in sorted(folder.rglob("*.py")):
        if path.stem in exercises():
            texts.setdefault(path.stem, []).append(decoded(path.name, path.read_bytes()))
    if not texts:
        raise UserError(f"no file in {folder} is named after an exercise")
    return texts


def flag(group: Group, student: str) -> str:
    """Say of one student of a group with whom the work is alike."""
    names = [name for name in group.students if name != student]
    others = ", ".join(names[:NAMED])
    if more := len(names[NAMED:]):
        others = f"{others} and {more} more"
    text = f"{int(100 * group.near)} % the same steps as {others}, names and order aside"
    if group.exercises == 1:
        return text
    who = "the two" if len(names) == 1 else "two of them"
    return f"{text}; {who} are alike in {group.exercises} exercises"


def of_tests(text: str) -> str:
    """Say that a flag is about a student's tests."""
    return f"in its tests: {text}"


def flagged_works(slug: str) -> Iterator[str]:
    """List the names under which something may be said of an exercise, or of its tests."""
    yield slug
    yield PROOF + slug
    yield from (f"{PROOF}{slug} {kind}" for kind in ABOUT_ONE)


@lru_cache(maxsize=1024)  # many hand in the same
def work_of(exercise: Exercise, text: str) -> Work:
    """Read an answer, as far as answers are compared."""
    return Work(exercise.slug, program(exercise, text).letters[: LARGEST + 1], digest(text))


class Comparison:
    """Takes works one by one, and groups similar ones.

    Args:
        given: texts that everybody had, by exercise: what they do is evidence for nothing.
    """

    def __init__(self, given: Mapping[str, Iterable[str]] | None = None) -> None:
        self._given = {
            slug: {step for text in texts for step in program(exercises()[slug], text).letters}
            for slug, texts in (given or {}).items()
        }
        self._programs: defaultdict[str, dict[str, str]] = defaultdict(dict)
        self._texts: defaultdict[str, dict[str, str]] = defaultdict(dict)

    def add(self, student: str, work: Work) -> None:
        """Add a student's work, unless it is too small to compare or the same as the reference.

        Works that are similar to the reference are also similar to each other; of these, only equal
        texts are evidence for a copy.
        """
        exercise, right = _exercise(work.name), reference(work.name)
        given = self._given.get(work.name, set())
        steps = "".join(step for step in work.steps if step not in given)
        for known in (self._programs[work.name], self._texts[work.name]):
            known.pop(student, None)
        if not can_tell(exercise, steps) or steps == right:
            return
        if are_alike(exercise, steps, right):
            self._texts[work.name][student] = work.digest
        else:
            self._programs[work.name][student] = steps

    def groups(self) -> dict[str, list[Group]]:
        """Group students who are alike, the most similar first."""
        groups = {name: [*self._equal(name), *_groups(_exercise(name), self._programs[name])]
                  for name in {**self._programs, **self._texts}}  # fmt: skip
        return _compared({name: same for name, same in groups.items() if same})

    def pairs(self, groups: Mapping[str, list[Group]]) -> list[TwoWorks]:
        """Find the strongest pairs of these groups."""
        pairs = (pair for name, same in groups.items() for group in same
                 for pair in self._pairs(name, group))  # fmt: skip
        return heapq.nlargest(MOST_PAIRS, pairs)

    def _pairs(self, name: str, group: Group) -> Iterator[TwoWorks]:
        programs = self._programs[name]
        for one, other in combinations(group.students[:MANY], 2):
            a, b = (programs.get(student, reference(name)) for student in (one, other))
            if are_alike(_exercise(name), a, b):
                yield TwoWorks(evidence(a, b), nearness(a, b), name, one, other)

    def _equal(self, name: str) -> Iterator[Group]:
        students = _by_work(self._texts[name]).values()
        yield from (Group(tuple(sorted(same)), 1.0) for same in students if same[1:])


def _exercise(name: str) -> Exercise:
    return exercises()[name.removeprefix(PROOF)]


@cache
def reference(name: str) -> str:
    """The steps of what everybody may have seen: the solution, or the kata's own tests."""
    exercise = _exercise(name)
    if not name.startswith(PROOF):
        return program(exercise, read(exercise.solution).text).letters
    path = MODELS / exercise.filename
    return program(exercise, read(path).text, PREFIX).letters if path.is_file() else ""


def digest(text: str) -> str:
    """Hash a text, whatever its line endings."""
    return sha256("\n".join(text.rstrip().splitlines()).encode()).hexdigest()


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


def _groups(exercise: Exercise, programs: Mapping[str, str]) -> list[Group]:
    students = _by_work(programs)
    pairs = [*_pairs(exercise, students)]
    nearest = _nearest(students, pairs)
    groups = []
    for cluster in _clusters(students, pairs):
        names = sorted(name for letters in cluster for name in students[letters])
        if len(names) > 1:
            groups.append(Group(tuple(names), min(nearest[letters] for letters in cluster)))
    return sorted(groups, key=lambda group: (-group.near, group.students))


def _by_work(works: Mapping[str, str]) -> dict[str, list[str]]:
    """The students who have each of these works, which are given by student."""
    students: defaultdict[str, list[str]] = defaultdict(list)
    for student, work in works.items():
        students[work].append(student)
    return students


def _pairs(exercise: Exercise, programs: Iterable[str]) -> Iterator[tuple[str, str]]:
    shortest_first = sorted(programs, key=len)
    for index, one in enumerate(shortest_first):
        # A greater distance cannot be enough evidence.
        most = (len(one) - enough(exercise)) // AGAINST
        end = bisect_right(shortest_first, len(one) + most, key=len)
        others = islice(shortest_first, index + 1, end)
        near = process.extract_iter(one, others, scorer=Indel.distance, score_cutoff=most)
        yield from ((one, other) for other, _, _ in near if are_alike(exercise, one, other))


def _nearest(
    students: Mapping[str, list[str]], pairs: Iterable[tuple[str, str]]
) -> dict[str, float]:
    """For each program the nearness of the most similar one: 1 if two students have the same."""
    nearest = {letters: float(len(names) > 1) for letters, names in students.items()}
    for one, other in pairs:
        near = nearness(one, other)
        nearest[one], nearest[other] = max(near, nearest[one]), max(near, nearest[other])
    return nearest


def _clusters(programs: Iterable[str], pairs: Iterable[tuple[str, str]]) -> list[set[str]]:
    """Programs connected by pairs, directly or through others; most are alone."""
    of = {letters: {letters} for letters in programs}
    for one, other in pairs:
        if of[one] is not of[other]:
            of[one] |= of[other]
            of.update(dict.fromkeys(of[other], of[one]))
    return [*{id(cluster): cluster for cluster in of.values()}.values()]


def _compared(groups: dict[str, list[Group]]) -> dict[str, list[Group]]:
    """The same groups, with the number of exercises in which their students are alike."""
    places: defaultdict[str, set[tuple[str, int]]] = defaultdict(set)
    for name, same in groups.items():
        for number, group in enumerate(same):
            for student in group.students:
                places[student].add((name, number))
    return {name: [replace(group, exercises=_meetings(group, places)) for group in same]
            for name, same in groups.items()}  # fmt: skip


def _meetings(group: Group, places: Mapping[str, set[tuple[str, int]]]) -> int:
    pairs = combinations(group.students[:MANY], 2)
    return max(len(places[one] & places[other]) for one, other in pairs)
