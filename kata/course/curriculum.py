"""What the exercises are, and where their four faces lie."""

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
EXERCISES = ROOT / "exercises"
SOLUTIONS = ROOT / "solutions"
BUGS = ROOT / "bugs"
GRADED = ROOT / "tests" / "graded"
ACCEPTED = ROOT / "tests" / "accepted"


@dataclass(frozen=True)
class Exercise:
    """One line of curriculum.toml."""

    slug: str
    title: str
    core: bool
    points: int
    minutes: int
    needs: tuple[str, ...]
    library: str

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
        """The question."""
        return EXERCISES / self.filename

    @property
    def solution(self) -> Path:
        """The right answer."""
        return SOLUTIONS / self.filename

    @property
    def suite(self) -> Path:
        """The judge."""
        return GRADED / f"test_{self.filename}"

    @property
    def bugs(self) -> Path:
        """The wrong answers."""
        return BUGS / f"{self.slug}.toml"

    @property
    def accepted(self) -> Path:
        """The folder of right answers in other styles."""
        return ACCEPTED / self.slug


@cache
def exercises() -> dict[str, Exercise]:
    """All of curriculum.toml, in course order."""
    table = tomllib.loads((EXERCISES / "curriculum.toml").read_text(encoding="utf-8"))
    return {slug: _exercise(slug, line) for slug, line in table.items()}


def _exercise(slug: str, line: dict[str, object]) -> Exercise:
    return Exercise(slug=slug, **{**line, "needs": tuple(line["needs"])})  # type: ignore[arg-type]  # TOML is untyped
