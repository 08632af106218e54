"""Every specimen, page, paper and size of those of which the other folders try a part."""

import os
import subprocess
import sys

import pytest

from kata.course.curriculum import ROOT
from tests.helpers.sampling import ALL

TESTS = ROOT / "tests"
# What chooses a part.
SAMPLES = ("tests.helpers.sampling", "tests.helpers.browser")
NAMES = [
    str(path.relative_to(TESTS))
    for folder in ("kata", "system")
    for path in sorted((TESTS / folder).rglob("test_*.py"))
    if any(module in path.read_text(encoding="utf-8") for module in SAMPLES)
]


@pytest.mark.parametrize("name", NAMES)
def test_all_of_them_end_as_they_should(name: str) -> None:
    command = [sys.executable, "-m", "pytest", "-q", f"tests/{name}"]
    done = subprocess.run(command, cwd=ROOT, env=os.environ | {ALL: "1"}, check=False,
                          capture_output=True, text=True)  # fmt: skip

    assert done.returncode == 0, done.stdout
