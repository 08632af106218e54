"""The changes of tests/long/breakages.toml that break something, and the tests that notice."""

import tomllib
from dataclasses import dataclass
from functools import cache

from kata.course.curriculum import ROOT

LIST = ROOT / "tests" / "long" / "breakages.toml"


@dataclass(frozen=True)
class Breakage:
    """A change of one file, and the id of a test that fails because of it."""

    what: str
    file: str
    find: str
    replace: str
    test: str

    @property
    def room(self) -> str:
        return self.file.split("/")[1]

    @property
    def is_fast(self) -> bool:
        """Whether a contributor notices at once, and not only CI."""
        return not self.test.startswith("tests/system/")


@cache
def breakages() -> tuple[Breakage, ...]:
    """All of the list."""
    entries = tomllib.loads(LIST.read_text(encoding="utf-8"))["breakage"]
    return tuple(Breakage(**entry) for entry in entries)
