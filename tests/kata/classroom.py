"""A class whose marks are known before it is graded.

`classroom(folder, count, seed)` writes what `count` pupils hand in: stubs, solutions, the bugs of
the catalogue and other right answers, packed in all the ways that people and platforms have;
`due(pupils, seed)` says what each of them has to get. `python -m tests.kata.classroom FOLDER COUNT
SEED` does both, and writes the marks to FOLDER.csv.
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
from kata.judging import case
from kata.judging.attempt import Attempt
from kata.judging.judge import Claim, check, import_torch, suite
from kata.upkeep.faces import accepted

NAMES = ("Ada", "Björn", "Chloé", "Dvořák Jan", "Emre-Can", "Fiona O'Neil", "李 Wei", "de la Cruz")
PACKING = (  # where a file lies in the folder of the class, and what is made of what is there
    ("{name}/{file}", ""),
    ("{name}/homework/{file}", ""),
    ("{name}/exercises/{file}", ""),
    ("{name}/{file}", "zip"),
    ("{name}/homework/{file}", "zip"),
    ("{name}/{file}", "gztar"),
    ("{name}/homework/exercises/{file}", "xztar"),
    ("{name}_{number}_assignsubmission_file/{file}", ""),  # Moodle
    ("{name}_{number}_assignsubmission_file/work/{file}", ""),
    ("{name}_{number}_9{number}_{file}", ""),  # Canvas
    ("{name}_LATE_{number}_9{number}_work/{file}", "zip"),
    ("homework_{name}_attempt_2026-03-01-10-00-00_work/{file}", "zip"),  # Blackboard
)
KINDS = {"stub": 1, "right": 6, "wrong": 8}  # how often each is handed in
Held = dict[str, bool]  # claim → whether it holds
Decks = Mapping[str, Mapping[str, list[bytes]]]  # exercise → kind → texts


@dataclass(frozen=True)
class Pupil:
    """One who hands in."""

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
    """Write so many submissions, and return what they are made of.

    Args:
        folder: where they go.
        count: how many.
        seed: of everything that is left to chance.
        most: exercises for one pupil.
        variety: of the answers of each kind to an exercise; all that there are if it is None.
        copied: the share of those who hand in what another one has written.
    """
    random = Random(seed)
    written = _written(random, most, _decks(random, variety))
    pupils = [*_pupils(count, random, written, copied)]
    for number, pupil in enumerate(pupils):
        pack(folder, pupil, number)
    return pupils


def pack(folder: Path, pupil: Pupil, number: int) -> Path:
    """Write one submission in one of the ways; returns where it lies, or its last file."""
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
    """All that the project knows, by kind."""
    return {
        "stub": [exercise.stub.read_bytes()],
        "right": [each.read_bytes() for each in (exercise.solution, *accepted(exercise))],
        "wrong": [wrong_answer(exercise, bug).encode() for bug in bugs(exercise)],
    }


def _decks(random: Random, variety: int | None) -> Decks:
    decks = {slug: answers(exercise) for slug, exercise in exercises().items()}
    for texts in (each for deck in decks.values() for each in deck.values()):
        random.shuffle(texts)
        del texts[variety or len(texts) :]
    return decks


def _written(random: Random, most: int, decks: Decks) -> Iterator[Mapping[str, bytes]]:
    """What one hands in after the other, without end; each answer comes before one comes again."""
    deal = {(slug, kind): cycle(decks[slug][kind]) for slug in decks for kind in KINDS}
    while True:
        slugs = _chosen(random, random.randint(1, most))
        yield {slug: next(deal[slug, _kind(random)]) for slug in slugs}


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
    """Some exercises, those that the first one needs before others."""
    first, *others = random.sample([*exercises()], k=len(exercises()))
    others.sort(key=lambda each: each not in exercises()[first].needs)
    return [first, *others][:count]


def _kind(random: Random) -> str:
    (kind,) = random.choices([*KINDS], [*KINDS.values()])
    return kind


# -- marks


def due(pupils: Iterable[Pupil], seed: int) -> dict[str, dict[str, float]]:
    """The mark of every pupil for every exercise, from judging all of them in this process."""
    marking = Marking()
    with numbers_of(seed):
        return {each.name: _marks(marking.held(each.files)) for each in pupils}


def _marks(held: Mapping[str, Held]) -> dict[str, float]:
    return {slug: _mark(exercise, held.get(slug, {})) for slug, exercise in exercises().items()}


def _mark(exercise: Exercise, held: Held) -> float:
    return round(exercise.points * sum(held.values()) / len(graded(exercise)), 4)


def graded(exercise: Exercise) -> list[Claim]:
    """The claims that count: a grader has no GPU."""
    return [claim for claim in suite(exercise) if claim.device != "cuda"]


@contextmanager
def numbers_of(seed: int) -> Iterator[None]:
    """Let claims draw the numbers of a grader's run with this seed."""
    import_torch()
    case.begin_run(seed)
    try:
        yield
    finally:
        case.begin_run(0)


@dataclass
class Marking:
    """Judges in this process; the same texts only once."""

    _known: dict[tuple[str, tuple[str, ...]], Held] = field(default_factory=dict)

    def held(self, files: Mapping[str, bytes]) -> dict[str, Held]:
        """What holds of each exercise; one that holds as a whole serves those that need it."""
        found: dict[str, Held] = {}
        target = Target(
            Path("theirs"), files, lambda slug: all(found.get(slug, {"": False}).values())
        )
        for slug in exercises():
            if slug in files:
                found[slug] = self._exercise(exercises()[slug], target)
        return found

    def _exercise(self, exercise: Exercise, target: Target) -> Held:
        try:
            key = exercise.slug, tuple(part.text for part in target.parts(exercise.slug))
        except UnusableError:
            return {claim.id: False for claim in graded(exercise)}
        if key not in self._known:
            attempt = Attempt(exercise, target)
            self._known[key] = {each.id: check(each, attempt).held for each in graded(exercise)}
        return self._known[key]


def _holds(held: Held) -> bool:
    """Whether there is an exercise, and nothing is wrong with it."""
    return bool(held) and all(held.values())


def main(folder: str, count: str, seed: str) -> None:
    """Write a class and its marks."""
    marks = due(classroom(Path(folder), int(count), int(seed)), int(seed))
    with Path(f"{folder}.csv").open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["student", *exercises()])
        rows.writerows([name, *scores.values()] for name, scores in marks.items())


if __name__ == "__main__":
    main(*sys.argv[1:])
