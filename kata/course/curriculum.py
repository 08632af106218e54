"""The exercises of the course, and the places of their files."""

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cache
from itertools import takewhile
from pathlib import Path
from typing import Any

from kata.errors import UserError

CODE = Path(__file__).resolve().parents[2]  # where Python finds `kata`
INSTALLED = Path(__file__).resolve().parent / "material"  # the course in a wheel
ROOT = INSTALLED if INSTALLED.is_dir() else CODE  # the folder of the course
EXERCISES = ROOT / "exercises"
SOLUTIONS = ROOT / "solutions"
BUGS = ROOT / "bugs"
PACKED_BUGS = ".bz2"
GRADED = ROOT / "tests" / "graded"
ACCEPTED = ROOT / "tests" / "accepted"
PACKED = ROOT / "tests" / "accepted.zip"  # in a wheel; so many small files take much room there
LIBRARIES = ("numpy", "torch")
LISTS = ("needs", "delegates", "imports", "tracks")
TRACKS = ("core", "encoder", "decoder")
OWN = "KATA_COURSE"  # an environment variable, so that judges know it: a folder of own exercises
OPTIONAL: dict[str, Any] = {"core": False, "needs": [], "delegates": [], "hints": {}}  # in those
KINDS: dict[str, type] = {  # of the fields of an entry
    **{"title": str, "core": bool, "points": int, "minutes": int, "needs": list, "library": str},
    **{"delegates": list, "hints": dict},
}


@dataclass(frozen=True)
class Exercise:
    """A table of curriculum.toml; the head of that file explains the fields.

    No verdict depends on hints, tracks or shares, so they are not compared, hashed or
    fingerprinted.
    """

    slug: str
    title: str
    core: bool
    points: int
    minutes: int
    needs: tuple[str, ...]
    library: str
    delegates: tuple[str, ...]
    hints: Mapping[str, tuple[str, ...]] = field(compare=False, repr=False)
    imports: tuple[str, ...] = ()
    tracks: tuple[str, ...] = field(default=(), compare=False, repr=False)
    shares: Mapping[str, int] = field(default_factory=dict, compare=False, repr=False)
    home: Path = field(default=ROOT, compare=False, repr=False)  # the folder of its course

    def is_in(self, track: str) -> bool:
        """Return True if it belongs to this track; without a track everything does."""
        return not track or (self.core if track == "core" else track in self.tracks)

    @property
    def group(self) -> str:
        """The first track that it belongs to; empty if there is none."""
        return self.tracks[0] if self.tracks else ""

    @property
    def short(self) -> str:
        """The name that learners use: ex05."""
        return self.slug.split("_")[0]

    @property
    def filename(self) -> str:
        """The name of its file in any folder of exercises."""
        return f"{self.slug}.py"

    @property
    def stub(self) -> Path:
        """The file that a learner begins with."""
        return (self.home / "exercises" if self.is_own else EXERCISES) / self.filename

    @property
    def solution(self) -> Path:
        """The right answer."""
        return (self.home / "solutions" if self.is_own else SOLUTIONS) / self.filename

    @property
    def suite(self) -> Path:
        """The claims that judge an answer."""
        folder = self.home / "tests" / "graded" if self.is_own else GRADED
        return folder / f"test_{self.filename}"

    @property
    def bugs(self) -> Path:
        """The wrong answers; a wheel has them packed."""
        folder = self.home / "bugs" if self.is_own else BUGS
        packed = folder / f"{self.slug}.toml{PACKED_BUGS}"
        return packed if packed.exists() else packed.with_suffix("")

    @property
    def accepted(self) -> Path:
        """The folder of right answers in other styles."""
        return (self.home / "tests" / "accepted" if self.is_own else accepted()) / self.slug

    def hints_about(self, name: str) -> tuple[str, ...]:
        """Return the hints of a function, whatever is wrong with it; none if nobody wrote any."""
        return self.hints.get(name.split(".", maxsplit=1)[0], ())

    @property
    def is_own(self) -> bool:
        """True for an instructor's own exercise, which may have no wrong answers yet."""
        return self.home != ROOT

    def solution_in(self, solutions: Path | None) -> Path:
        """Return the reference in this folder, which may lack that of an own exercise."""
        other = solutions and solutions / self.filename
        return self.solution if other is None or (self.is_own and not other.exists()) else other


@cache
def exercises() -> dict[str, Exercise]:
    """Return all exercises in course order; an instructor's own ones (`use`) come last."""
    course = _course(ROOT)
    if folder := os.environ.get(OWN):
        course |= _own(Path(folder), course)
    return course


def use(folder: Path) -> None:
    """Take the exercises of this folder, too, in this process and in those that it starts."""
    os.environ[OWN] = str(folder.resolve())
    exercises.cache_clear()
    exercises()


def _own(home: Path, course: Mapping[str, Exercise]) -> dict[str, Exercise]:
    shorts = {exercise.short for exercise in course.values()}
    own = _course(home)
    for exercise in own.values():
        if exercise.short in shorts:
            raise UserError(
                f"{home}: {exercise.short} is an exercise of the kata or of this folder already; "
                "take another number"
            )
        for path in (exercise.stub, exercise.solution, exercise.suite):
            if not path.is_file():
                raise UserError(f"{exercise.slug}: there is no {path}")
        shorts.add(exercise.short)
    return own


def _course(home: Path) -> dict[str, Exercise]:
    path = home / "exercises" / "curriculum.toml"
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
        return {slug: _exercise(slug, entry, home) for slug, entry in table.items()}
    except (OSError, ValueError, TypeError, AttributeError) as error:
        raise UserError(f"{path} cannot be used: {error}") from None


@cache
def accepted() -> Path:
    """Return the folder of right answers in other styles; unpack that of a wheel first."""
    if not PACKED.exists():
        return ACCEPTED
    import atexit
    from shutil import rmtree
    from tempfile import mkdtemp
    from zipfile import ZipFile

    folder = Path(mkdtemp(prefix="kata-"))
    atexit.register(rmtree, folder, ignore_errors=True)
    with ZipFile(PACKED) as archive:
        archive.extractall(folder)
    return folder


def earlier(exercise: Exercise) -> tuple[str, ...]:
    """Return the exercises before this one: all that it may import."""
    return tuple(takewhile(lambda slug: slug != exercise.slug, exercises()))


def suite_folders() -> set[Path]:
    """Return the folders of all suites."""
    return {GRADED, *(exercise.suite.parent for exercise in exercises().values())}


def _exercise(slug: str, entry: dict[str, Any], home: Path) -> Exercise:
    fields = entry if home == ROOT else {**OPTIONAL, **entry}
    for name, kind in KINDS.items():
        if not isinstance(fields.get(name), kind):
            raise TypeError(f"{slug} has no `{name}`, or it is not of type {kind.__name__}")
    lists = {name: tuple(map(str, fields.get(name, ()))) for name in LISTS}
    hints = {name: tuple(map(str, texts)) for name, texts in fields["hints"].items()}
    shares = {name: int(weight) for name, weight in fields.get("shares", {}).items()}
    own: dict[str, Any] = {"hints": hints, "shares": shares, "home": home}
    return Exercise(slug, **{**fields, **lists, **own})


def exercise_named(name: str) -> Exercise:
    """Return the exercise called `ex05`, `05`, `5`, `ex05_causal_masks`, or by such a path."""
    stem = Path(name).name.removesuffix(".py")
    short = f"ex{stem.removeprefix('ex'):0>2}"
    for slug, exercise in exercises().items():
        if slug == stem or exercise.short == short:
            return exercise
    shorts = [exercise.short for exercise in exercises().values()]
    if close := did_you_mean(stem, [*exercises(), *shorts]):
        raise UserError(f"no exercise is called {name}{close}")
    raise UserError(f"no exercise is called {name}; there are: {', '.join(shorts)}")


def stray(name: str, stem: str) -> str:
    """Return a sentence about a file with almost the name of an exercise."""
    return f"{name} is not the name of an exercise{did_you_mean(stem, list(exercises()))}"


def misspelled(name: str, candidates: list[str]) -> str:
    """Suggest this name in place of a similar one, in half a sentence; else return nothing."""
    close = get_close_matches(name, candidates, n=1, cutoff=0.6)
    return f"; did you mean `{name}` where it says `{close[0]}`?" if close else ""


def did_you_mean(name: str, candidates: list[str] | tuple[str, ...]) -> str:
    """Suggest a candidate similar to this name, in half a sentence; else return nothing."""
    close = get_close_matches(name, candidates, n=1, cutoff=0.6)
    return f"; did you mean `{close[0]}`?" if close else ""
