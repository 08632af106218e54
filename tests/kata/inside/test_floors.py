"""What stands beside a learner's code imports nothing above it; import-linter watches over that."""

import re
from pathlib import Path

import pytest

from tests.helpers.another_kata import another_kata, run_in

pytest.importorskip("importlinter")
LINT = ("-c", "from importlinter.cli import lint_imports_command as lint; lint()", "--no-cache")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return another_kata(tmp_path / "kata")


LINES = """
from kata.judging import limits
from kata.course import curriculum
def lazily() -> None:
    import kata.grading.run
from kata import verdict
from kata.inside import probes
"""


def test_inside_imports_the_ground_floor_and_itself_and_nothing_above_it(home: Path) -> None:
    with (home / "kata" / "inside" / "execution.py").open("a") as file:
        file.write(LINES)

    run = run_in(home, *LINT)

    assert run.status != 0
    assert "no room imports upwards BROKEN" in run.out
    assert {*re.findall(r"kata\.inside is not allowed to import ([\w.]+)", run.out)} == {
        "kata.judging", "kata.course", "kata.grading"}  # fmt: skip
    assert "execution -> kata.verdict" not in run.out
    assert "execution -> kata.inside.probes" not in run.out
