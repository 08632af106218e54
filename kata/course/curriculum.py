"""What the exercises are, and where their files are."""

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
INSTALLED = Path(__file__).resolve().parent / "material"  # what a wheel brings beside the code
ROOT = INSTALLED if INSTALLED.is_dir() else CODE  # where the course lies
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
    """One table of curriculum.toml, whose head explains the fields.

    No verdict depends on hints, tracks or shares, so they are not part of what is compared, hashed
    or fingerprinted.
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
        """Whether it belongs to this way through the course; to no track belongs everything."""
        return not track or (self.core if track == "core" else track in self.tracks)

    @property
    def group(self) -> str:
        """The first track that it belongs to; empty if there is none."""
        return self.tracks[0] if self.tracks else ""

    @property
    def short(self) -> str:
        """The name by which learners call it: ex05."""
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
        """The hints of a function, whatever is wrong with it; none if none are written yet."""
        return self.hints.get(name.split(".", maxsplit=1)[0], ())

    @property
    def is_own(self) -> bool:
        """Whether it is an instructor's own: it may have no wrong answers yet."""
        return self.home != ROOT

    def solution_in(self, solutions: Path | None) -> Path:
        """The reference in this folder, which an exercise of one's own may leave out."""
        other = solutions and solutions / self.filename
        return self.solution if other is None or (self.is_own and not other.exists()) else other


@cache
def exercises() -> dict[str, Exercise]:
    """All exercises in course order; an instructor's own ones (`use`) come last."""
    course = _course(ROOT)
    if folder := os.environ.get(OWN):
        course |= _own(Path(folder), course)
    return course


def use(folder: Path) -> None:
    """Take the exercises of this folder, too, in this process and in those that it starts."""
    os.environ[OWN] = str(folder.resolve())
    exercises.cache_clear()
    exercises()


def _own(home: Path, known: Mapping[str, Exercise]) -> dict[str, Exercise]:
    shorts = {exercise.short for exercise in known.values()}
    course = _course(home)
    for each in course.values():
        if each.short in shorts:
            raise UserError(
                f"{home}: {each.short} is an exercise of the kata or of this folder already; "
                "take another number"
            )
        for path in (each.stub, each.solution, each.suite):
            if not path.is_file():
                raise UserError(f"{each.slug}: there is no {path}")
        shorts.add(each.short)
    return course


def _course(home: Path) -> dict[str, Exercise]:
    path = home / "exercises" / "curriculum.toml"
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
        return {slug: _exercise(slug, entry, home) for slug, entry in table.items()}
    except (OSError, ValueError, TypeError, AttributeError) as error:
        raise UserError(f"{path} cannot be used: {error}") from None


@cache
def accepted() -> Path:
    """The folder of all right answers in other styles; of a wheel, unpacked for this process."""
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
    """The exercises before this one: all that it may import."""
    return tuple(takewhile(lambda slug: slug != exercise.slug, exercises()))


def suite_folders() -> set[Path]:
    """Where suites lie."""
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
    """The exercise called `ex05`, `05`, `5`, `ex05_causal_masks`, or a path to such a file."""
    wanted = Path(name).name.removesuffix(".py")
    short = f"ex{wanted.removeprefix('ex'):0>2}"
    for slug, exercise in exercises().items():
        if slug == wanted or exercise.short == short:
            return exercise
    known = [*exercises(), *(each.short for each in exercises().values())]
    if close := did_you_mean(wanted, known):
        raise UserError(f"no exercise is called {name}{close}")
    there = ", ".join(each.short for each in exercises().values())
    raise UserError(f"no exercise is called {name}; there are: {there}")


def stray(name: str, stem: str) -> str:
    """A sentence about a file whose name, without its ending, is almost that of an exercise."""
    return f"{name} is not the name of an exercise{did_you_mean(stem, list(exercises()))}"


def misspelled(name: str, candidates: list[str]) -> str:
    """A half-sentence that suggests this name in place of a similar one; else empty."""
    close = get_close_matches(name, candidates, n=1, cutoff=0.6)
    return f"; did you mean `{name}` where it says `{close[0]}`?" if close else ""


def did_you_mean(name: str, candidates: list[str] | tuple[str, ...]) -> str:
    """A half-sentence that suggests a candidate similar to this name; else empty."""
    close = get_close_matches(name, candidates, n=1, cutoff=0.6)
    return f"; did you mean `{close[0]}`?" if close else ""
