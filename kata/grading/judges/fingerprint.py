"""Fingerprints of everything that a verdict depends on, apart from the submission.

Called by `journal`, which compares them from one run to the next, and by `judges.cluster`, which
compares those of its machines: a class is graded by one engine. It reads files and versions, and
does not import torch.
"""

import platform
from collections.abc import Iterator
from dataclasses import replace
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path

from kata.course.catalogue import content
from kata.course.curriculum import CODE, INSTALLED, Exercise, exercises
from kata.grading.options import Options

# Folders that only show verdicts, or that the grader does not use: no mark depends on them.
WITHOUT_EFFECT = {
    *("commands", "handouts", "learner", "platforms", "plugin", "reports", "terminal", "upkeep"),
}
KINDS = {".py", ".toml"}
LIBRARIES = ("torch", "numpy")


def fingerprint(options: Options) -> str:
    """Hash everything: what holds for all exercises, the chosen ones, and what they are worth."""
    common = ground(options)
    ways = [way(exercises()[slug], common) for slug in options.slugs]
    return sha256(repr((common, ways, sorted(options.points.items()))).encode()).hexdigest()[:16]


def ground(options: Options) -> str:
    """Hash what is the same for every exercise: limits, engine, and all of the reference."""
    total = sha256(repr((options.seed, options.timeout, options.memory)).encode())
    total.update(repr((options.diagnosis, sorted(engine().items()))).encode())
    for slug, exercise in exercises().items():
        total.update(slug.encode() + exercise.solution_in(options.solutions).read_bytes())
    return total.hexdigest()[:16]


def way(exercise: Exercise, ground: str) -> str:
    """Hash what one exercise adds: its suite, its mistakes, and what no proof may refuse."""
    total = sha256(ground.encode() + repr(replace(exercise, points=0, minutes=0)).encode())
    total.update(exercise.suite.read_bytes() + content(exercise))
    for path in sorted(exercise.accepted.glob("*.py")):
        total.update(path.name.encode() + path.read_bytes())
    return total.hexdigest()[:16]


def versions(options: Options) -> dict[str, str]:
    """List what has to be the same on every machine, by names that an instructor knows."""
    return {**engine(), "kata": fingerprint(options)[:12]}


def engine() -> dict[str, str]:
    """List the code that judges, and the versions of what it runs on."""
    libraries = {name: version(name).split("+")[0] for name in LIBRARIES}
    python = ".".join(platform.python_version_tuple()[:2])
    return {"kata": _code(), "Python": python, **libraries}


def _code() -> str:
    total = sha256()
    for path in sorted(_files()):
        total.update(f"\0{path.relative_to(CODE).as_posix()}\0".encode() + path.read_bytes())
    return total.hexdigest()[:12]


def _files() -> Iterator[Path]:
    """All that affects a verdict, without hidden files of editors."""
    for path in (CODE / "kata").rglob("*"):
        parts = path.relative_to(CODE).parts
        hidden = any(part.startswith(".") for part in parts)
        course = path.is_relative_to(INSTALLED)
        if path.suffix in KINDS and not (hidden or course or WITHOUT_EFFECT & set(parts)):
            yield path
