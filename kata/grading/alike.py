"""Students of a class who submitted nearly the same program, or nearly the same tests.

Names, comments, layout and order do not count (see `steps`). Short right answers are naturally
alike, so only programs that are more alike than honest work are reported. Judges call `work_of`,
`run` calls `likenesses` when all are judged. No mark changes here.
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

from kata.class_verdict import Work
from kata.course.curriculum import ROOT, Exercise, exercises
from kata.course.source import decoded, read
from kata.errors import UserError
from kata.grading.steps import program
from kata.marks import PROOF
from kata.proofs.law import PREFIX

# A shared step is evidence for a copy and counts 1. A step that only one of two programs has is
# evidence against it and counts 5. No two honest answers in this project score more than 16, and
# few reach 0. But where a stub names all parts, two people who never met write the same: all 24
# steps of ex28.
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
    """A group of students with files for one exercise that are alike.

    Attributes:
        students: their names, sorted.
        near: the share of steps that every file has in common with the most similar one, at least.
        exercises: the most exercises in which the same two of them are alike.
    """

    students: tuple[str, ...]
    near: float
    exercises: int = 1


@dataclass(frozen=True, order=True)
class TwoWorks:
    """Two students with files for one exercise that are alike.

    Attributes:
        evidence: how strong it is.
        near: the share of steps that they have in common.
    """

    evidence: int
    near: float
    exercise: str
    first: str
    second: str


@dataclass(frozen=True)
class Likeness:
    """A finding on work that is much alike, or on one student's tests.

    Attributes:
        students: the authors of the work.
        near: the share of steps that their files have in common; 0 for one student alone.
        text: the flag of one of them.
    """

    students: tuple[str, ...]
    near: float
    text: str = field(compare=False)


Groups = dict[str, list[Group]]  # by exercise or proof
Alike = dict[tuple[str, str], Likeness]  # (student, exercise or proof) → the finding
ABOUT_ONE = ("model", "oracle")  # kinds of flags of a proof by itself


def likenesses(
    students: Iterable[tuple[str, Iterable[Work]]],
    shared: Mapping[str, Iterable[str]] | None = None,
) -> tuple[Alike, list[TwoWorks]]:
    """Compare a class, and return the findings by student and work, and the strongest pairs.

    Args:
        students: their names, with their works.
        shared: texts that everybody had, by exercise.
    """
    answers, tests = Comparison(shared), Comparison()
    alike: Alike = {}
    for student, works in students:
        for work in works:
            (tests if work.name.startswith(PROOF) else answers).add(student, work)
            for kind, text in work.flags:
                alike[student, f"{work.name} {kind}"] = Likeness((student,), 0.0, of_tests(text))
    groups = answers.groups()
    return alike | _findings(groups) | _findings(tests.groups()), answers.pairs(groups)


def _findings(groups_of: Groups) -> Alike:
    alike: Alike = {}
    for name, group in ((name, group) for name, groups in groups_of.items() for group in groups):
        for student in group.students:
            text = flag(group, student)
            text = of_tests(text) if name.startswith(PROOF) else text
            alike[student, name] = Likeness(group.students, group.near, text)
    return alike


@dataclass
class Pair:
    """Two students, or more, with all exercises in which their work is much alike.

    `near` is the share of equal steps in the exercise in which they are nearest.
    """

    students: tuple[str, ...]
    shorts: list[str] = field(default_factory=list)
    near: float = 0.0


def pairs(alike: Alike) -> list[Pair]:
    """Collect the findings by students; those who share most come first."""
    by_students: dict[tuple[str, ...], Pair] = {}
    places = {(work, likeness.students, likeness) for (_, work), likeness in alike.items()}
    for work, students, likeness in sorted(places, key=lambda place: place[:2]):
        if len(students) > 1:
            pair = by_students.setdefault(students, Pair(students))
            short = exercises()[work.removeprefix(PROOF)].short
            pair.shorts.append(f"tests of {short}" if work.startswith(PROOF) else short)
            pair.near = max(pair.near, likeness.near)
    return sorted(by_students.values(), key=lambda pair: (-len(pair.shorts), pair.students))


def read_shared_code(folder: Path) -> dict[str, list[str]]:
    """Read the code that everybody had, however deep it lies in a folder, by exercise."""
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
    """Flag the work of one student of a group, and name the students with similar work."""
    names = [name for name in group.students if name != student]
    listed = ", ".join(names[:NAMED])
    if more := len(names[NAMED:]):
        listed = f"{listed} and {more} more"
    text = f"{int(100 * group.near)} % the same steps as {listed}, names and order aside"
    if group.exercises == 1:
        return text
    pair = "the two" if len(names) == 1 else "two of them"
    return f"{text}; {pair} are alike in {group.exercises} exercises"


def of_tests(text: str) -> str:
    """Mark a flag as one about a student's tests."""
    return f"in its tests: {text}"


def flagged_works(slug: str) -> Iterator[str]:
    """List the names under which something may be said of an exercise, or of its tests."""
    yield slug
    yield PROOF + slug
    yield from (f"{PROOF}{slug} {kind}" for kind in ABOUT_ONE)


@lru_cache(maxsize=1024)  # many students submit the same
def work_of(exercise: Exercise, text: str) -> Work:
    """Read an answer, as far as answers are compared."""
    return Work(exercise.slug, program(exercise, text).letters[: LARGEST + 1], digest(text))


class Comparison:
    """The works of a class, added one by one, and groups of similar ones.

    Args:
        shared: texts that everybody had, by exercise: their steps are evidence for nothing.
    """

    def __init__(self, shared: Mapping[str, Iterable[str]] | None = None) -> None:
        self._shared_steps = {
            slug: {step for text in texts for step in program(exercises()[slug], text).letters}
            for slug, texts in (shared or {}).items()
        }
        self._programs: defaultdict[str, dict[str, str]] = defaultdict(dict)
        self._texts: defaultdict[str, dict[str, str]] = defaultdict(dict)

    def add(self, student: str, work: Work) -> None:
        """Add a student's work, unless it is too small to compare or the same as the reference.

        Works that are similar to the reference are also similar to each other; of these, only equal
        texts are evidence for a copy.
        """
        exercise, right = _exercise(work.name), reference(work.name)
        shared_steps = self._shared_steps.get(work.name, set())
        steps = "".join(step for step in work.steps if step not in shared_steps)
        for works in (self._programs[work.name], self._texts[work.name]):
            works.pop(student, None)
        if not can_tell(exercise, steps) or steps == right:
            return
        if are_alike(exercise, steps, right):
            self._texts[work.name][student] = work.digest
        else:
            self._programs[work.name][student] = steps

    def groups(self) -> Groups:
        """Group students who are alike, the most similar first."""
        groups_of = {name: [*self._equal(name), *_groups(_exercise(name), self._programs[name])]
                     for name in {**self._programs, **self._texts}}  # fmt: skip
        return _compared({name: groups for name, groups in groups_of.items() if groups})

    def pairs(self, groups_of: Groups) -> list[TwoWorks]:
        """Find the strongest pairs of these groups."""
        pairs = (pair for name, groups in groups_of.items() for group in groups
                 for pair in self._pairs(name, group))  # fmt: skip
        return heapq.nlargest(MOST_PAIRS, pairs)

    def _pairs(self, name: str, group: Group) -> Iterator[TwoWorks]:
        programs = self._programs[name]
        for pair in combinations(group.students[:MANY], 2):
            a, b = (programs.get(student, reference(name)) for student in pair)
            if are_alike(_exercise(name), a, b):
                yield TwoWorks(evidence(a, b), nearness(a, b), name, *pair)

    def _equal(self, name: str) -> Iterator[Group]:
        groups = _by_work(self._texts[name]).values()
        yield from (Group(tuple(sorted(names)), 1.0) for names in groups if len(names) > 1)


def _exercise(name: str) -> Exercise:
    return exercises()[name.removeprefix(PROOF)]


@cache
def reference(name: str) -> str:
    """Return the steps of what everybody may have seen: the solution, or the kata's own tests."""
    exercise = _exercise(name)
    if not name.startswith(PROOF):
        return program(exercise, read(exercise.solution).text).letters
    path = MODELS / exercise.filename
    return program(exercise, read(path).text, PREFIX).letters if path.is_file() else ""


def digest(text: str) -> str:
    """Hash a text, whatever its line endings."""
    return sha256("\n".join(text.rstrip().splitlines()).encode()).hexdigest()


def enough(exercise: Exercise) -> int:
    """Return how much evidence it takes in an exercise to call two programs alike."""
    return ENOUGH_OF.get(exercise.short, ENOUGH)


def can_tell(exercise: Exercise, letters: str) -> bool:
    """Return whether a program is large enough for similarity to mean anything."""
    return enough(exercise) <= len(letters) <= LARGEST


def are_alike(exercise: Exercise, a: str, b: str) -> bool:
    """Return whether two programs are more alike than honest work explains."""
    return max(len(a), len(b)) <= LARGEST and evidence(a, b) >= enough(exercise)


def evidence(a: str, b: str) -> int:
    """Weigh the evidence that one of these programs is a copy of the other."""
    from rapidfuzz.distance import Indel

    distance = Indel.distance(a, b)
    return (len(a) + len(b) - distance) // 2 - AGAINST * distance


def nearness(a: str, b: str) -> float:
    """Return the share of their steps that two programs have in common."""
    from rapidfuzz.distance import Indel

    return Indel.normalized_similarity(a, b)


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
    """Group the students who have the same work."""
    students: defaultdict[str, list[str]] = defaultdict(list)
    for student, work in works.items():
        students[work].append(student)
    return students


def _pairs(exercise: Exercise, programs: Iterable[str]) -> Iterator[tuple[str, str]]:
    from rapidfuzz import process
    from rapidfuzz.distance import Indel

    shortest_first = sorted(programs, key=len)
    for index, letters in enumerate(shortest_first):
        # A greater distance cannot be enough evidence.
        farthest = (len(letters) - enough(exercise)) // AGAINST
        end = bisect_right(shortest_first, len(letters) + farthest, key=len)
        longer = islice(shortest_first, index + 1, end)
        near = process.extract_iter(letters, longer, scorer=Indel.distance, score_cutoff=farthest)
        yield from ((letters, twin) for twin, _, _ in near if are_alike(exercise, letters, twin))


def _nearest(
    students: Mapping[str, list[str]], pairs: Iterable[tuple[str, str]]
) -> dict[str, float]:
    """Return by program how near the most similar one is: 1 if two students have the same."""
    nearest = {letters: float(len(names) > 1) for letters, names in students.items()}
    for a, b in pairs:
        near = nearness(a, b)
        nearest[a], nearest[b] = max(near, nearest[a]), max(near, nearest[b])
    return nearest


def _clusters(programs: Iterable[str], pairs: Iterable[tuple[str, str]]) -> list[set[str]]:
    """Join programs that pairs connect, directly or through others; most are alone."""
    cluster_of = {letters: {letters} for letters in programs}
    for a, b in pairs:
        if cluster_of[a] is not cluster_of[b]:
            cluster_of[a] |= cluster_of[b]
            cluster_of.update(dict.fromkeys(cluster_of[b], cluster_of[a]))
    return [*{id(cluster): cluster for cluster in cluster_of.values()}.values()]


def _compared(groups_of: Groups) -> Groups:
    """Add to all groups the number of exercises in which their students are alike."""
    places: defaultdict[str, set[tuple[str, int]]] = defaultdict(set)
    for name, groups in groups_of.items():
        for number, group in enumerate(groups):
            for student in group.students:
                places[student].add((name, number))
    return {name: [replace(group, exercises=_meetings(group, places)) for group in groups]
            for name, groups in groups_of.items()}  # fmt: skip


def _meetings(group: Group, places: Mapping[str, set[tuple[str, int]]]) -> int:
    pairs = combinations(group.students[:MANY], 2)
    return max(len(places[a] & places[b]) for a, b in pairs)
