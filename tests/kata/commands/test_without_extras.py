"""The kata as the README's first line installs it: without any package that only an extra needs."""

import json
import subprocess
import sys
import tomllib
from importlib.metadata import requires
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from kata.__main__ import COMMANDS
from kata.course.curriculum import ROOT

# A Python in which these packages cannot be imported or found, and what its commands come to.
PROGRAM = """
import importlib.util, json, sys
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO

missing, orders = json.loads(sys.stdin.read())

class Missing:
    def find_spec(self, name, path=None, target=None):
        if name in missing:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

there = importlib.util.find_spec
importlib.util.find_spec = lambda name: None if name in missing else there(name)
sys.meta_path.insert(0, Missing())
from kata.__main__ import main

runs = []
for words in orders:
    with redirect_stdout(StringIO()) as out, redirect_stderr(StringIO()) as err:
        try:
            status = main(words)
        except SystemExit as end:
            status = end.code
    runs.append((status, out.getvalue(), err.getvalue()))
print(json.dumps(runs))
"""


def extras() -> list[str]:
    """The modules that only the extras of instructors bring; torch brings jinja2 to everybody."""
    table = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    groups = table["project"]["optional-dependencies"]
    lines = [line for extra, lines in groups.items() if extra != "dev" for line in lines]
    names = {Requirement(line).name for line in lines}
    return sorted(names - {Requirement(line).name for line in requires("torch") or []})


@pytest.fixture(scope="module")
def class_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A class that nobody can grade here."""
    folder = tmp_path_factory.mktemp("class")
    (folder / "ada").mkdir()
    return folder


def test_every_command_is_listed_and_an_extra_is_asked_for_in_one_line(class_folder: Path) -> None:
    orders = [[], ["grade", str(class_folder)], *([name, "--help"] for name in COMMANDS)]
    program = subprocess.run([sys.executable, "-c", PROGRAM], input=json.dumps([extras(), orders]),
                             stdout=subprocess.PIPE, text=True, check=True)  # fmt: skip
    listing, grade, *pages = json.loads(program.stdout)

    assert listing[0] == 0
    assert [name for name in COMMANDS if f"  {name} " not in listing[1]] == []
    status, out, err = grade
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert 'is not installed: pip install -e ".[grading]"' in err
    assert [name for name, page in zip(COMMANDS, pages, strict=True) if page[0] != 0] == []
