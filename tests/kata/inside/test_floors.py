"""What stands beside a learner's code imports nothing above it; import-linter watches over that."""

from pathlib import Path

import pytest

from tests.helpers.another_kata import another_kata, run_in
from tests.helpers.learner_folder import Run

pytest.importorskip("importlinter")
LINT = ("-c", "from importlinter.cli import lint_imports_command as lint; lint()", "--no-cache")
BROKEN = "no room imports upwards BROKEN"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return another_kata(tmp_path / "kata")


def linted(home: Path, line: str) -> Run:
    """What is said if `kata/inside/execute.py` has this line."""
    with (home / "kata" / "inside" / "execute.py").open("a") as file:
        file.write(f"\n{line}\n")
    return run_in(home, *LINT)


@pytest.mark.parametrize(
    "line",
    [
        "from kata.judging import limits",
        "from kata.course import curriculum",
        "def lazily() -> None:\n    import kata.grading.run",
    ],
)
def test_inside_imports_nothing_above_it(home: Path, line: str) -> None:
    run = linted(home, line)

    assert run.status != 0
    assert BROKEN in run.out
    assert "kata.inside is not allowed to import" in run.out


@pytest.mark.parametrize("line", ["from kata import verdict", "from kata.inside import probes"])
def test_inside_may_import_the_ground_floor_and_itself(home: Path, line: str) -> None:
    assert BROKEN not in linted(home, line).out
