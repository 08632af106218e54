"""A class whose marks are known before it is graded.

`classroom(folder, count, seed)` writes the submissions of `count` pupils: stubs, solutions, bugs of
the catalogue and other right answers, packed in all the ways of people and platforms.
`due(pupils, seed)` computes the mark that each of them has to get.
`python -m tests.helpers.classroom FOLDER COUNT SEED` does both, and writes the marks to FOLDER.csv.
"""

import csv
import shutil
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import cycle
from pathlib import Path
from random import Random

from kata.course.catalogue import bugs, wrong_answer
from kata.course.curriculum import Exercise, exercises
from kata.course.source import UnusableError
from kata.course.target import Target
from kata.grading.rubric import mark
from kata.judging import case
from kata.judging.judge import import_torch
from kata.upkeep.faces import accepted
from kata.verdict import ClaimVerdict, ExerciseVerdict, State
from tests.helpers.marking import judged

NAMES = ("Ada", "Björn", "Chloé", "Dvořák Jan", "Emre-Can", "Fiona O'Neil", "李 Wei", "de la Cruz")
PACKING = (  # the path of a file in the class's folder, and the archive made of its top folder
    ("{name}/{file}", ""),
    ("{name}/homework/{file}", ""),
    ("{name}/exercises/{file}", ""),
    ("{name}/{file}", "zip"),
    ("{name}/homework/{file}", "zip"),
    ("{name}/{file}", "gztar"),
    ("{name}/homework/exercises/{file}", "xztar"),
    ("{name}_{number}_9{number}_{file}", ""),  # Canvas: a folder is read as one platform's
    ("{name}_{number}_9{number}_work/{file}", ""),
    ("{name}_{number}_9{number}_work/homework/{file}", ""),
    ("{name}_{number}_9{number}_work/{file}", "gztar"),
    ("{name}_LATE_{number}_9{number}_work/{file}", "zip"),
)
KINDS = {"stub": 1, "right": 6, "wrong": 8}  # relative frequencies
Answers = Mapping[str, Mapping[str, list[bytes]]]  # exercise → kind → texts


@dataclass(frozen=True)
class Pupil:
    """A student of the class."""

    name: str
    files: Mapping[str, bytes]  # exercise → text


def classroom(
    folder: Path,
    count: int,
    seed: int,
    most: int = 18,
    variety: int | None = None,
    copied: float = 0.1,
) -> list[Pupil]:
    """Write the submissions of a class; returns the pupils.

    Args:
        folder: where the submissions are written.
        count: how many pupils.
        seed: of all random choices.
        most: at most this many exercises for one pupil.
        variety: at most this many answers of each kind to an exercise; None for all known ones.
        copied: the share of pupils who hand in what another one wrote.
    """
    random = Random(seed)
    written = _written(random, most, _shuffled(random, variety))
    pupils = [*_pupils(count, random, written, copied)]
    for number, pupil in enumerate(pupils):
        pack(folder, pupil, number)
    return pupils


def pack(folder: Path, pupil: Pupil, number: int) -> Path:
    """Write one submission, packed in one of the ways; returns its folder or archive."""
    where, kind = PACKING[number % len(PACKING)]
    for slug, text in pupil.files.items():
        place = where.format(name=pupil.name, number=1000 + number, file=f"{slug}.py")
        (folder / place).parent.mkdir(parents=True, exist_ok=True)
        (folder / place).write_bytes(text)
    top = folder / Path(place).parts[0]
    return _archived(top, kind) if kind else top


def _archived(folder: Path, kind: str) -> Path:
    made = shutil.make_archive(str(folder), kind, folder)
    shutil.rmtree(folder)
    return Path(made)


def answers(exercise: Exercise) -> dict[str, list[bytes]]:
    """All answers in this project, by kind."""
    return {
        "stub": [exercise.stub.read_bytes()],
        "right": [each.read_bytes() for each in (exercise.solution, *accepted(exercise))],
        "wrong": [wrong_answer(exercise, bug).encode() for bug in bugs(exercise)],
    }


def _shuffled(random: Random, variety: int | None) -> Answers:
    known = {slug: answers(exercise) for slug, exercise in exercises().items()}
    for texts in (each for kinds in known.values() for each in kinds.values()):
        random.shuffle(texts)
        del texts[variety or len(texts) :]
    return known


def _written(random: Random, most: int, known: Answers) -> Iterator[Mapping[str, bytes]]:
    """An endless series of submissions; no answer is repeated before all were used."""
    answer = {(slug, kind): cycle(known[slug][kind]) for slug in known for kind in KINDS}
    while True:
        slugs = _chosen(random, random.randint(1, most))
        yield {slug: next(answer[slug, _kind(random)]) for slug in slugs}


def _pupils(
    count: int, random: Random, written: Iterator[Mapping[str, bytes]], copied: float
) -> Iterator[Pupil]:
    known: list[Mapping[str, bytes]] = []
    for number in range(count):
        if not known or random.random() >= copied:
            known.append(next(written))
            files = known[-1]
        else:
            files = random.choice(known)
        yield Pupil(f"{NAMES[number % len(NAMES)]} {number:04}", files)


def _chosen(random: Random, count: int) -> list[str]:
    """Some exercises; those that the first one needs are preferred."""
    first, *others = random.sample([*exercises()], k=len(exercises()))
    others.sort(key=lambda each: each not in exercises()[first].needs)
    return [first, *others][:count]


def _kind(random: Random) -> str:
    (kind,) = random.choices([*KINDS], [*KINDS.values()])
    return kind


# -- marks


def due(pupils: Iterable[Pupil], seed: int) -> dict[str, dict[str, float]]:
    """The mark of every pupil for every exercise, by judging all of them in this process.

    No mistake is named, as with `--no-diagnosis`.
    """
    marking = Marking(diagnosed=False)
    with numbers_of(seed):
        return {each.name: dict.fromkeys(exercises(), 0.0) | marking.marks(each.files)
                for each in pupils}  # fmt: skip


@contextmanager
def numbers_of(seed: int) -> Iterator[None]:
    """Let claims draw the same random numbers as a run of the grader with this seed."""
    import_torch()
    case.begin_run(seed)
    try:
        yield
    finally:
        case.begin_run(0)


@dataclass
class Marking:
    """Judges in this process; equal texts are judged once."""

    diagnosed: bool = True
    _known: dict[tuple[str, tuple[str, ...]], ExerciseVerdict] = field(default_factory=dict)

    def marks(self, files: Mapping[str, bytes]) -> dict[str, float]:
        """The points for each exercise; one that is right is used by later ones."""
        found: dict[str, ExerciseVerdict] = {}
        target = Target(
            Path("theirs"), files, lambda slug: slug in found and found[slug].state is State.PASSED
        )
        for slug in exercises():
            if slug in files:
                found[slug] = self._exercise(exercises()[slug], target)
        return {slug: mark(each, exercises()[slug].points).score for slug, each in found.items()}

    def _exercise(self, exercise: Exercise, target: Target) -> ExerciseVerdict:
        try:
            key = exercise.slug, tuple(part.text for part in target.parts(exercise.slug))
        except UnusableError:
            return ExerciseVerdict(exercise.slug, (ClaimVerdict("error", State.ERROR),))
        if key not in self._known:
            self._known[key] = judged(exercise, target, diagnosed=self.diagnosed)
        return self._known[key]


def main(folder: str, count: str, seed: str) -> None:
    """Write a class and its marks."""
    marks = due(classroom(Path(folder), int(count), int(seed)), int(seed))
    with Path(f"{folder}.csv").open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["student", *exercises()])
        rows.writerows([name, *scores.values()] for name, scores in marks.items())


if __name__ == "__main__":
    main(*sys.argv[1:])
