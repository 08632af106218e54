"""What has to be the same on every machine that grades, so that the verdicts are."""

import platform
from hashlib import sha256
from importlib.metadata import version

from kata.curriculum import ROOT
from kata.grading.journal import way
from kata.grading.options import Options

# What only shows verdicts (reports, handouts, commands) may differ.
SOURCES = ("kata/*.py", "kata/*.toml", "kata/grading/*.*", "exercises/*.*", "tests/graded/*.py")
LIBRARIES = ("torch", "numpy")


def versions(options: Options) -> dict[str, str]:
    """Each with a name by which an instructor knows it."""
    libraries = {name: version(name).split("+")[0] for name in LIBRARIES}
    python = ".".join(platform.python_version_tuple()[:2])
    return {"kata": _kata(options), "Python": python, **libraries}


def _kata(options: Options) -> str:
    """What was chosen, with all files that have to do with a verdict."""
    total = sha256(way(options).encode())
    for path in sorted(each for pattern in SOURCES for each in ROOT.glob(pattern)):
        total.update(f"\0{path.relative_to(ROOT)}\0".encode() + path.read_bytes())
    return total.hexdigest()[:12]
