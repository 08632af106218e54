"""The versions that the kata was tested with: of all packages that it needs, and they in turn.

`python -m kata.upkeep.constraints > constraints.txt` writes down what is installed here.
"""

import tomllib
from collections.abc import Iterable, Iterator
from importlib.metadata import PackageNotFoundError, requires, version

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from kata.course.curriculum import ROOT

FILE = ROOT / "constraints.txt"
HEAD = """\
# The versions that the kata was tested with: `pip install -c constraints.txt …` takes no others.
# `python -m kata.upkeep.constraints > constraints.txt` writes down what is installed.
"""
OWN = "attention-kata"  # in the extras that name others


def constraints() -> dict[str, str]:
    """Return the installed version of every package that is needed, and "" for missing ones."""
    versions: dict[str, str] = {}
    waiting = list(_wanted())
    for need in waiting:  # it grows on the way
        name = canonicalize_name(need.name)
        if name not in versions:
            versions[name] = _installed(name)
        waiting += [requirement for requirement in _needs_of(need) if requirement not in waiting]
    return dict(sorted(versions.items()))


def _wanted() -> Iterator[Requirement]:
    """The requirements in pyproject.toml: to build the kata, to use it, and of its extras."""
    table = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    project = table["project"]
    extras = [value for extra in project["optional-dependencies"].values() for value in extra]
    yield from _here([*table["build-system"]["requires"], *project["dependencies"], *extras])


def _here(lines: Iterable[str], extras: Iterable[str] = ()) -> Iterator[Requirement]:
    """The requirements of this system, with these extras of the package that has them."""
    for need in map(Requirement, lines):
        environments = [{"extra": extra} for extra in ("", *extras)]
        if need.name != OWN and (not need.marker or any(map(need.marker.evaluate, environments))):
            yield need


def _needs_of(need: Requirement) -> Iterator[Requirement]:
    try:
        yield from _here(requires(need.name) or [], need.extras)
    except PackageNotFoundError:
        return


def _installed(name: str) -> str:
    """The version without its build (2.13.0+cpu): any build will do."""
    try:
        return Version(version(name)).public
    except PackageNotFoundError:
        return ""


if __name__ == "__main__":
    print(HEAD + "\n".join(f"{name}=={pinned}" for name, pinned in constraints().items()))
