"""What the exercises are, and where their files are."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from itertools import takewhile
from pathlib import Path
from typing import Any

from kata.errors import UserError
from kata.words import say

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
KINDS: dict[str, type] = {  # of the fields of an entry
    **{"title": str, "core": bool, "points": int, "minutes": int, "needs": list, "library": str},
    **{"delegates": list, "hints": dict},
}


@dataclass(frozen=True)
class Exercise:
    """One table of curriculum.toml, whose head explains the fields.

    No verdict depends on hints or tracks, so they are not part of what is compared, hashed or
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
        return EXERCISES / self.filename

    @property
    def solution(self) -> Path:
        """The right answer."""
        return SOLUTIONS / self.filename

    @property
    def suite(self) -> Path:
        """The claims that judge an answer."""
        return GRADED / f"test_{self.filename}"

    @property
    def bugs(self) -> Path:
        """The wrong answers; a wheel has them packed."""
        packed = BUGS / f"{self.slug}.toml{PACKED_BUGS}"
        return packed if packed.exists() else packed.with_suffix("")

    @property
    def accepted(self) -> Path:
        """The folder of right answers in other styles."""
        return accepted() / self.slug


@cache
def exercises() -> dict[str, Exercise]:
    """All of curriculum.toml, in course order."""
    path = EXERCISES / "curriculum.toml"
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
        return {slug: _exercise(slug, entry) for slug, entry in table.items()}
    except (OSError, ValueError, TypeError, AttributeError) as error:
        raise UserError(say("course.curriculum", path=path, reason=error)) from None


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


def _exercise(slug: str, entry: dict[str, Any]) -> Exercise:
    for name, kind in KINDS.items():
        if not isinstance(entry.get(name), kind):
            raise TypeError(say("course.field", slug=slug, name=name, kind=kind.__name__))
    lists = {name: tuple(map(str, entry.get(name, ()))) for name in LISTS}
    hints = {name: tuple(map(str, texts)) for name, texts in entry["hints"].items()}
    return Exercise(slug, **{**entry, **lists, "hints": hints})
