"""What of an exercise has to be judged again since its gates last held, and what has not.

`bugs/records` has a digest of all that each verdict depended on when it was last found true: of
each wrong answer (its text, the suite, what the suite imports, the solutions), of each part of the
exercise that a gate looks at, and of the machinery. The same input gives the same verdict: what is
unchanged need not be judged again. If the machinery has changed, anything may give another one.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from kata.course.catalogue import Bug, bugs, content, versions
from kata.course.curriculum import CODE, Exercise
from kata.diagnosis.records import digests, hashed, needed, surroundings, written
from kata.hunts import losses
from kata.upkeep.faces import accepted, sheet_file
from kata.upkeep.fuzz.gate import fuzz_file
from kata.upkeep.mutants import equivalents
from kata.upkeep.proofs.model import model_file

# What decides over a verdict or a complaint: all files of the rooms that judge, name, hunt, and
# check. They are whole rooms, so that no new module is forgotten; how a verdict is shown is not
# in them, and neither is how a class is graded.
ENGINE = (
    *("course", "diagnosis", "grading/similarity", "hunts", "inside", "judging", "upkeep"),
    *("proofs", "handouts/examples.py", "verdict.py"),
)
KINDS = {".py", ".toml"}

ANSWERS, BELOW, VERSIONS, CATALOGUE, LEVEL_1, SHEET, PROOF, MUTANTS, LOSSES = PARTS = (
    *("answers", "below", "versions", "catalogue"),
    *("level 1", "sheet", "proof", "mutants", "losses"),
)


@dataclass(frozen=True)
class Work:
    """What of an exercise is to be judged.

    Attributes:
        entries: these of its wrong answers, and
        parts: all gates that look at one of these parts.
    """

    entries: tuple[Bug, ...]
    parts: frozenset[str]


def everything(exercise: Exercise) -> Work:
    """All of it, whatever was judged before."""
    return Work(bugs(exercise), frozenset(PARTS))


def work(exercise: Exercise) -> Work:
    """What has changed since all gates last held; everything if the machinery has."""
    return everything(exercise) if engine_changed(exercise) else changed(exercise)


def changed(exercise: Exercise) -> Work:
    """The entries and parts that are not as they were recorded."""
    table, today = written(exercise), digests(exercise)
    known = {slug: its for slug, (its, *_) in table.get("entries", {}).items()}
    entries = tuple(bug for bug in bugs(exercise) if known.get(bug.slug) != today[bug.slug])
    held, now = table.get("parts", {}), parts(exercise)
    return Work(entries, frozenset(text for text in PARTS if held.get(text) != now[text]))


def engine_changed(exercise: Exercise) -> bool:
    """Whether the machinery is another one than when all gates last held."""
    return written(exercise).get("engine") != engine()


def engine() -> str:
    """A digest of the machinery."""
    return _digest(ENGINE)


@cache
def _digest(names: tuple[str, ...]) -> str:
    paths = [CODE / "kata" / name for name in names]
    files = [each for path in paths for each in (path.rglob("*") if path.is_dir() else [path])]
    texts = [
        text
        for path in sorted(files)
        if path.suffix in KINDS
        for text in (path.name.encode(), path.read_bytes())
    ]
    return hashed(texts)


def parts(exercise: Exercise) -> dict[str, str]:
    """A digest of each part that gates look at."""
    own = [exercise.stub, *accepted(exercise), fuzz_file(exercise)]
    below = [path for each in needed(exercise) for path in accepted(each)]
    entry = repr(exercise).encode()
    return {
        ANSWERS: hashed([*surroundings(exercise), entry, *_texts(own)]),
        BELOW: hashed(_texts(below)),
        VERSIONS: hashed([repr(versions(exercise)).encode()]),
        CATALOGUE: hashed([content(exercise)]),
        SHEET: hashed(_texts([sheet_file(exercise)])),
        PROOF: hashed(_texts([model_file(exercise)])),
        MUTANTS: hashed([repr(equivalents(exercise)).encode()]),
        LOSSES: hashed([losses.digest(exercise).encode(), *_texts([losses.FILE])]),
        LEVEL_1: hashed([repr(bug).encode() for bug in bugs(exercise) if bug.level]),
    }


def _texts(paths: Iterable[Path]) -> list[bytes]:
    return [path.read_bytes() for path in paths if path.exists()]
