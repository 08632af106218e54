"""What has to be the same on every machine that grades, so that the verdicts are."""

import platform
from collections.abc import Iterator
from hashlib import sha256
from importlib.metadata import version

from kata.curriculum import ROOT
from kata.grading.journal import way
from kata.grading.options import Options

# What only shows verdicts (reports, handouts, commands) may differ, and so may the stubs, in which
# people work: no judge reads them.
SOURCES = (
    *("kata/*.py", "kata/*.toml", "kata/grading/*.py", "kata/grading/*.toml"),
    *("exercises/curriculum.toml", "tests/graded/*.py"),
)
LIBRARIES = ("torch", "numpy")


def versions(options: Options) -> dict[str, str]:
    """Each with a name by which an instructor knows it."""
    libraries = {name: version(name).split("+")[0] for name in LIBRARIES}
    python = ".".join(platform.python_version_tuple()[:2])
    return {"kata": _kata(options), "Python": python, **libraries}


def _kata(options: Options) -> str:
    """What was chosen, with all files that have to do with a verdict."""
    total = sha256(way(options).encode())
    for name in sorted(_sources()):
        total.update(f"\0{name}\0".encode() + (ROOT / name).read_bytes())
    return total.hexdigest()[:12]


def _sources() -> Iterator[str]:
    """The names of these files, the same on every system; what editors leave is none of them."""
    for path in (each for pattern in SOURCES for each in ROOT.glob(pattern)):
        if not path.name.startswith("."):
            yield path.relative_to(ROOT).as_posix()
