"""What is installed where something is graded or tested is what was tested: nothing floats."""

import re

import pytest
from packaging.requirements import Requirement

from kata.course.curriculum import ROOT
from kata.grading.platforms.bundle import kata
from kata.upkeep import constraints as own
from kata.upkeep.constraints import FILE, constraints

INDEX = "download.pytorch.org"
SHOWN = ("README.md", "docs/*.md", "kata/grading/platforms/files/**/*")
LINES = [line for line in FILE.read_text(encoding="utf-8").splitlines() if line[:1] != "#"]


def test_every_package_that_is_needed_has_the_version_that_is_installed() -> None:
    """Where this fails: `python -m kata.upkeep.constraints > constraints.txt`, or install them."""
    pinned = dict(line.split("==") for line in LINES)

    assert {name: pinned.get(name) for name in constraints()} == constraints()


def test_every_line_names_one_version() -> None:
    assert [line for line in LINES if not re.fullmatch(r"[a-z0-9-]+==[0-9.]+", line)] == []
    names = [line.split("==")[0] for line in LINES]
    assert names == sorted(set(names))


@pytest.mark.parametrize("part", ["numpy", "rich", "distributed", "typst", "ruff", "setuptools"])
def test_every_part_is_walked(part: str) -> None:
    """The kata, grading, cluster, handouts, development, and what builds it."""
    assert part in constraints()


def test_what_is_needed_in_turn_is_found() -> None:
    assert {"markupsafe", "execnet", "markdown-it-py", "tornado"} <= constraints().keys()


def test_a_package_that_is_not_installed_has_no_version(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(own, "_wanted", lambda: iter([Requirement("no-such-package>=1")]))

    assert constraints() == {"no-such-package": ""}


def test_what_another_system_needs_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = Requirement("no-such-package; sys_platform == 'an-abacus'")
    monkeypatch.setattr(own, "_wanted", lambda: own._here([str(wanted)]))

    assert constraints() == {}


def test_the_archives_for_platforms_carry_them() -> None:
    (found,) = [each for each in kata() if each.path.endswith("constraints.txt")]

    assert found.content == FILE.read_bytes()


def test_nothing_but_torch_comes_from_its_index() -> None:
    """A name on a second index would be taken for that of a package on PyPI, if it is newer."""
    files = [path for each in SHOWN for path in ROOT.glob(each) if path.is_file()]
    texts = {path: path.read_text(encoding="utf-8") for path in files}
    named = [line for text in texts.values() for line in text.splitlines() if INDEX in line]

    assert not [path for path, text in texts.items() if re.search("(?i)extra.index", text)]
    assert len(named) == 6
    for line in named:
        alone = "--no-deps" in line and re.search(
            r'--index-url \S+ "?torch[\d.,<>="]*( &&|\W*$)', line
        )
        assert alone or line.lstrip().lower().startswith("torch")
