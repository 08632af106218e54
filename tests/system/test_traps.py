"""Commands in a folder whose files are called like modules: none of these is ever executed."""

import subprocess
import sys
from pathlib import Path

import pytest

from kata.course.curriculum import ROOT, exercises
from tests.helpers.sampling import release

EX01 = exercises()["ex01_softmax"]
TRAP = "open({sprung!r}, 'a').write({name!r} + ' ')\nraise ImportError('a trap')\n"
NAMES = sorted(sys.stdlib_module_names | {"jinja2", "msgpack", "numpy", "pytest", "torch"})
# As the programs that pip installs do it: neither looks for modules in the current folder.
KATA = [
    sys.executable,
    "-c",
    "import sys; sys.path.pop(0); from kata.__main__ import main; sys.exit(main())",
]
PYTEST = [
    sys.executable,
    "-c",
    "import sys; sys.path.pop(0); import pytest; sys.exit(pytest.main())",
]
PATIENCE = 120


@pytest.fixture
def here(tmp_path: Path) -> Path:
    """A folder of exercises with a trap for each module that might be looked for there."""
    folder = tmp_path / "here"
    (folder / "exercises").mkdir(parents=True)
    for name in NAMES:
        text = TRAP.format(sprung=str(tmp_path / "sprung"), name=name)
        (folder / f"{name}.py").write_text(text, encoding="utf-8")
    (folder / "exercises" / EX01.filename).write_bytes(EX01.solution.read_bytes())
    return folder


def sprung(here: Path) -> list[str]:
    trace = here.parent / "sprung"
    return trace.read_text(encoding="utf-8").split() if trace.exists() else []


@pytest.mark.parametrize(
    "command",
    [
        [*KATA, "grade", ".", "--only", "ex01", "--grades", "../grades"],
        [*KATA, "doctor"],
        *(
            pytest.param(words, marks=release)
            for words in (
                [sys.executable, str(ROOT / "grader.py"), ".", "--grades", "../grades"],
                [*KATA, "board"],
                [*KATA, "verdict", "ex01"],
                [*KATA, "submit"],
                [*KATA, "hunt", "ex01"],
                PYTEST,
            )
        ),
    ],
    ids=lambda words: " ".join(words[3:5]) or Path(words[-1]).name,
)
def test_a_command_imports_nothing_from_where_it_is_called(here: Path, command: list[str]) -> None:
    done = subprocess.run(command, cwd=here, capture_output=True, text=True, timeout=PATIENCE,
                          check=False)  # fmt: skip

    assert sprung(here) == []
    assert "a trap" not in done.stdout + done.stderr
    assert done.returncode in (0, 1), done.stderr  # 1: something is left to do


def test_watching_imports_nothing_from_where_it_is_called(here: Path) -> None:
    with subprocess.Popen([*KATA, "watch", "--plain"], cwd=here, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True) as watch:  # fmt: skip
        assert watch.stdout
        seen = next((line for line in watch.stdout if "ex01_softmax: " in line), "")
        watch.terminate()

    assert sprung(here) == []
    assert "claims hold" in seen
