"""What is installed where something is graded or tested is what was tested: nothing floats."""

import re

import pytest
from packaging.requirements import Requirement

from kata.course.curriculum import ROOT
from kata.grading.platforms import kata
from kata.upkeep import constraints as own
from kata.upkeep.constraints import FILE, constraints

INDEX = "download.pytorch.org"
SHOWN = ("README.md", "docs/**/*.md", "kata/grading/files/**/*")
EXTRA = re.compile("(?i)extra.index")
# One command, without what torch needs, and with no other name after the address.
ALONE = re.compile(
    r"""\bpip\ install\ --no-deps\ [^&|;]*-index-url\ \S+\ "?torch[\d.,<>="]*(\ &&|\W*$)""",
    re.VERBOSE,
)
SETTING = re.compile(r"\s*torch[=:]", re.IGNORECASE)
LINES = [line for line in FILE.read_text(encoding="utf-8").splitlines() if line[:1] != "#"]


# A few of the kata, grading, cluster, handouts, development, what builds it; and of what they need.
PARTS = {"numpy", "rich", "distributed", "typst", "ruff", "setuptools"}
NEEDED_BY_THEM = {"markupsafe", "execnet", "markdown-it-py", "tornado"}


def test_every_package_that_is_needed_has_the_version_that_is_installed() -> None:
    """Where this fails: `python -m kata.upkeep.constraints > constraints.txt`, or install them."""
    pinned, needed = dict(line.split("==") for line in LINES), constraints()

    assert {name: pinned.get(name) for name in needed} == needed
    assert (PARTS | NEEDED_BY_THEM) - needed.keys() == set()


def test_every_line_names_one_version() -> None:
    assert [line for line in LINES if not re.fullmatch(r"[a-z0-9-]+==[0-9.]+", line)] == []
    names = [line.split("==")[0] for line in LINES]
    assert names == sorted(set(names))


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
    """A name on a second index would be taken for that of a package on PyPI, if it is newer.

    Where pip may fall back to PyPI for torch itself, it asks for torch alone, and for one version.
    """
    files = [path for each in SHOWN for path in ROOT.glob(each) if path.is_file()]
    texts = [path.read_text(encoding="utf-8") for path in files]
    named = [line for text in texts for line in text.splitlines() if INDEX in line]
    extra = [line for text in texts for line in text.splitlines() if EXTRA.search(line)]

    assert [line for line in extra if line not in named] == []
    assert (len(named), len(extra)) == (6, 2)
    assert [line for line in named if not (ALONE.search(line) or SETTING.match(line))] == []
    assert [line for line in extra if "-c constraints.txt --extra" not in line] == []
