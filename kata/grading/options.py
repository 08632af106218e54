"""The options of a run, and fingerprints of everything that a verdict depends on."""

import json
import os
import platform
from argparse import Namespace
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import Any

from kata.course.catalogue import content
from kata.course.curriculum import CODE, INSTALLED, Exercise, exercises
from kata.errors import UserError
from kata.files import write_file
from kata.grading.rubric import USUAL, Rubric, is_worth
from kata.grading.tables import read_toml
from kata.judging.limits import TIME_LIMIT
from kata.text import printable

EXTRAS = ("jinja2", "msgpack", "rapidfuzz", "rich")  # packages that only graders need
MEMORY = 1024  # MiB beyond what torch takes
TESTS_OF_PATIENCE = 4  # the time limit of all proofs, in limits of one test; every proof adds one
CLAIMS_OF_PATIENCE = 6  # the time limit of a submission, in limits of one claim
# How often the grader tries again what may fail through no fault of a submission.
STARTS = 3  # of a process that ends at once
CRASHES = 3  # judges for one submission: a judge that crashes is replaced
KILLS = 4  # workers for one exercise, or for one run of tests, if somebody outside kills them
SETTINGS = "settings.toml"
KINDS: dict[str, type] = {
    "only": list,
    **dict.fromkeys(("track", "deadline", "late", "scale", "column"), str),
    **dict.fromkeys(("roster", "overrules", "names", "weights", "rubric", "gradebook"), Path),
    "proofs": float,
    "seed": int,
    "resubmissions": bool,
}
GRADEBOOK = "gradebook"  # which is filled in again, so that it never has older marks
PLATFORM = "platform"  # that named the work: no option, but names would change with it
CHOOSING = {"only", "track"}  # of the exercises: one of them on the command line replaces both
SETTINGS_HEAD = """\
# What this class is graded with, as the last run was told. A run takes up what it is not
# given; delete a line, and it is forgotten. Paths begin in this folder.
"""
# Folders that only show verdicts, or that the grader does not use: no mark depends on them.
WITHOUT_EFFECT = {
    *("commands", "handouts", "learner", "live", "pictures", "reports", "terminal", "upkeep"),
}
SUFFIXES = {".py", ".toml"}
LIBRARIES = ("torch", "numpy")


@dataclass(frozen=True)
class Options:
    """An instructor's choice of what is judged, and how.

    Args:
        slugs: the exercises.
        points: what they are worth.
        seed: of the random numbers of claims.
        timeout: seconds for a claim.
        memory: MiB for a submission.
        diagnosis: whether mistakes are named.
        solutions: the folder of the reference, if not the kata's own.
        proof_points: what a proof is worth.
        rubric: what mistakes cost.
    """

    slugs: tuple[str, ...]
    points: Mapping[str, float]
    seed: int = 0
    timeout: float = TIME_LIMIT
    memory: int = MEMORY
    diagnosis: bool = True
    solutions: Path | None = None
    proof_points: float = 0.0
    rubric: Rubric = USUAL

    @property
    def patience(self) -> float:
        """Seconds for a submission."""
        return CLAIMS_OF_PATIENCE * self.timeout

    def patience_for(self, proofs: int) -> float:
        """Seconds for so many proofs of a submission, in all."""
        return (TESTS_OF_PATIENCE + proofs) * self.timeout if proofs else 0.0


def not_installed(name: str | None) -> str:
    """Say that a package is missing which only graders need."""
    return f'the grader needs {name}, which is not installed: pip install -e ".[grading]"'


def none_left(words: list[str]) -> str:
    """Say that none of these exercises is among those that count."""
    return f"no exercise is left to grade: {', '.join(words)} is not one of the core"


# The settings that a class keeps for its next run


def take_up(options: Namespace) -> Iterator[str]:
    """Fill in options from the last run; yield a line on those, and a line per changed option.

    Settings that lie inside the submissions are ignored: anybody may have put them there.
    """
    path = options.grades / SETTINGS
    is_inside = options.grades.resolve().is_relative_to(options.submissions.resolve())
    if not path.is_file() or is_inside:
        return
    settings = dict(_settings(path))
    options.platform = settings.pop(PLATFORM, "")
    if any(getattr(options, name) for name in CHOOSING):
        settings = {name: value for name, value in settings.items()
                if name not in CHOOSING or getattr(options, name)}  # fmt: skip
    is_lost = GRADEBOOK in settings and not settings[GRADEBOOK].is_file()
    if is_lost or options.explain or options.anonymous:
        export = settings.pop(GRADEBOOK, None)
        settings.pop("column", None)
        if is_lost:
            yield f"{export} is gone, so gradebook.csv may have marks of an earlier run"
    missing = {name: value for name, value in settings.items() if not getattr(options, name)}
    for name, value in missing.items():
        setattr(options, name, value)
    if missing:
        words = " ".join(_as_typed(missing))
        yield f"as in the last run: {words}; {path} keeps it"
    for name, value in settings.items():
        if name not in missing:
            yield from _change(name, value, getattr(options, name))


def keep_settings(options: Namespace, platform: str = "") -> str:
    """Write this run's options and platform to the settings; return a line on a new platform."""
    settings = {name: value for name in KINDS if (value := getattr(options, name))}
    settings |= {PLATFORM: platform} if platform else {}
    path = options.grades / SETTINGS
    if settings:
        lines = (f"{name} = {_written(value, path)}\n" for name, value in settings.items())
        write_file(path, "".join([SETTINGS_HEAD, *lines]))
    else:
        path.unlink(missing_ok=True)
    before = getattr(options, PLATFORM, "")
    return "".join(_change(PLATFORM, before, platform or "none")) if before else ""


def _change(name: str, before: Any, now: Any) -> Iterator[str]:
    """Yield a line if an option has changed since the last run."""
    if now.resolve() != before.resolve() if isinstance(now, Path) else now != before:
        yield f"{name} was {before} in the last run, and is {now} from now on"


def _settings(path: Path) -> Iterator[tuple[str, Any]]:
    """Read the settings in a file; paths begin in its folder, which may move together with them."""
    for name, value in read_toml(path).items():
        if name not in {*KINDS, PLATFORM}:
            raise UserError(f"{path}: there is no setting {printable(name)}")
        kind = KINDS.get(name, str)
        if not _is_possible(kind, value):
            raise UserError(f"{path}: {name} = {printable(repr(value))} is no such setting")
        yield name, _from_here(path.parent / value) if kind is Path else value


def _from_here(path: Path) -> Path:
    place, current = Path(os.path.normpath(path.absolute())), Path.cwd()
    return place.relative_to(current) if place.is_relative_to(current) else place


def _is_possible(kind: type, value: Any) -> bool:
    if kind is float:
        return is_worth(value)
    if kind is int:
        return type(value) is int and value > 0
    if kind is list:
        return isinstance(value, list) and all(isinstance(name, str) for name in value)
    return isinstance(value, str if kind is Path else kind)


def _written(value: Any, path: Path) -> str:
    """Write a value as TOML does, which is like JSON for such values."""
    if isinstance(value, Path):
        value = Path(os.path.relpath(value, path.parent)).as_posix()
    return json.dumps(value, ensure_ascii=False)


def _as_typed(options: Mapping[str, Any]) -> Iterator[str]:
    """Yield options as one types them: `--roster roster.csv --resubmissions`."""
    for name, value in options.items():
        for item in value if isinstance(value, list) else [value]:
            if item is True:
                yield f"--{name}"
            else:
                yield f'--{name} "{item}"' if " " in str(item) else f"--{name} {item}"


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
    """Yield all files that affect a verdict, without hidden files of editors."""
    for path in (CODE / "kata").rglob("*"):
        parts = path.relative_to(CODE).parts
        hidden = any(part.startswith(".") for part in parts)
        course = path.is_relative_to(INSTALLED)
        if path.suffix in SUFFIXES and not (hidden or course or WITHOUT_EFFECT & set(parts)):
            yield path
