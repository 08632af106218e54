"""Every place in which the kata starts a process, and why that one is safe in anybody's folder."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

from kata.course.curriculum import ROOT
from tests.helpers.source_code import tree

KATA = ROOT / "kata"
STARTS = {"Popen", "check_call", "check_output", "get_context", "run", "system"}
OF_MODULES = {"subprocess", "multiprocessing", "os"}
# A file, and what keeps its processes from importing what lies in the current folder.
MEANS = {
    "commands/doctor.py": "guarded(",
    "commands/update.py": '["git", ',
    "commands/check.py": 'get_context("fork")',
    "grading/collecting/reader.py": "env=beside_the_code()",
    "grading/pool.py": "env=beside_the_code()",
    "grading/platforms.py": "env=beside_the_code()",
    "grading/workers.py": '"-P"',
    "grading/sandbox.py": '"-I"',
    "handouts/screencast.py": "guarded(",
    "live/attending.py": '"-I"',
    "learner/waiting_judge.py": "guard_children()",
    "upkeep/mutants.py": 'get_context("fork")',
}
# They set the variable that multiprocessing's children find.
ENTRANCES = ("__main__.py", "grading/cli.py")
CHILDREN = """
import multiprocessing
from concurrent.futures import ProcessPoolExecutor

from kata.interpreter import guard_children

if __name__ == "__main__":
    if {guarded}:
        guard_children()
    for method in {{"spawn", "forkserver"}} & {{*multiprocessing.get_all_start_methods()}}:
        with ProcessPoolExecutor(1, multiprocessing.get_context(method)) as pool:
            assert pool.submit(abs, -1).result() == 1
"""


def starts_a_process(path: Path) -> bool:
    if not re.search(r"\b(subprocess|multiprocessing|system)\b", path.read_text(encoding="utf-8")):
        return False
    calls = (each.func for each in ast.walk(tree(path)) if isinstance(each, ast.Call))
    return any(
        isinstance(each, ast.Attribute)
        and each.attr in STARTS
        and isinstance(each.value, ast.Name)
        and each.value.id in OF_MODULES
        for each in calls
    )


def test_every_start_of_a_process_is_known_and_safe() -> None:
    starting = {
        str(path.relative_to(KATA)) for path in KATA.rglob("*.py") if starts_a_process(path)
    }

    assert starting == {*MEANS}
    for name, means in MEANS.items():
        assert means in (KATA / name).read_text(encoding="utf-8"), name
    for name in ENTRANCES:
        assert "    guard_children()\n" in (KATA / name).read_text(encoding="utf-8"), name


@pytest.mark.parametrize("guarded", [True, False])
def test_children_of_multiprocessing_import_nothing_from_here(
    tmp_path: Path, *, guarded: bool
) -> None:
    """Without the guard they would: so this test can fail."""
    program, here = tmp_path / "program" / "main.py", tmp_path / "here"
    for folder in (program.parent, here):
        folder.mkdir()
    program.write_text(CHILDREN.format(guarded=guarded))
    (here / "pickle.py").write_text("raise ImportError('a trap')\n")

    done = subprocess.run([sys.executable, str(program)], cwd=here, capture_output=True, text=True,
                          check=False)  # fmt: skip

    assert (done.returncode == 0) is guarded
    assert ("a trap" in done.stderr) is not guarded
