"""Bare `pytest` in a checkout: what a learner types first, and in which Python."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from kata.course.curriculum import EXERCISES, ROOT, exercises
from tests.helpers.learner_folder import FOLDER, LEAN, Learner, Run, run_python

IS_ROOT = hasattr(os, "getuid") and os.getuid() == 0
ROOT_MAY_WRITE = os.name == "nt" or (IS_ROOT and not shutil.which("setpriv"))
PERMISSIONS_APPLY = "--bounding-set=-dac_override", "--inh-caps=-dac_override"  # to root, too


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """What pytest sees of one, and a learner's wrong answer in it."""
    shutil.copytree(EXERCISES, tmp_path / "exercises", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "test_maintained.py").write_text("import nothing_that_exists\n")
    text = "import numpy as np\n\n\ndef softmax(scores, axis=-1):\n    return scores\n"
    (tmp_path / "exercises" / "ex01_softmax.py").write_text(text)
    return tmp_path


def bare(folder: Path, *arguments: str, **settings: str) -> Run:
    return run_python("pytest", arguments, folder, **{"COLUMNS": "200", **settings})


def test_it_runs_the_exercises_and_nothing_else(checkout: Path) -> None:
    run = bare(checkout)

    assert run.status == 1
    assert "✗ ex01_softmax" in run.board
    assert run.board.count("not started") == len(exercises())
    assert "error" not in run.out


def test_a_checkout_that_is_read_only_ends_with_the_board_in_plain_characters(
    checkout: Path,
) -> None:
    """For anybody, in a terminal that knows no others."""
    for path in [*checkout.rglob("*"), checkout]:
        path.chmod(path.stat().st_mode & ~0o222)
    as_anybody = ["setpriv", *PERMISSIONS_APPLY] if IS_ROOT and shutil.which("setpriv") else []
    inherited = {k: v for k, v in os.environ.items() if not k.startswith("PYTEST")}
    settings = {"PYTHONIOENCODING": "ascii:backslashreplace", "PYTHONUTF8": "0", **LEAN}

    done = subprocess.run([*as_anybody, sys.executable, "-m", "pytest"], cwd=checkout, check=False,
                          capture_output=True, encoding="utf-8",
                          env={**inherited, **settings})  # fmt: skip

    assert done.returncode == 1
    assert re.search(r"^  x ex01_softmax +\*", done.stdout, re.MULTILINE)
    assert done.stdout.isascii()
    assert ("PytestCacheWarning" in done.stdout) is not ROOT_MAY_WRITE  # it really was read-only
    assert not [word for word in ("Traceback", "INTERNALERROR") if word in done.stdout]
    assert done.stderr == ""


@pytest.mark.parametrize("off", ["no:kata.plugin", "no:kata"])
def test_without_the_plugin_it_says_what_to_do_in_one_line(checkout: Path, off: str) -> None:
    run = bare(checkout, "-p", off)

    assert run.status == pytest.ExitCode.USAGE_ERROR
    assert run.err.strip() == (
        f"ERROR: {sys.executable} runs without the attention kata: activate the environment in "
        "which you installed it, and type `python -m pytest`"
    )


def test_the_file_that_says_so_hides_no_library(learner: Learner) -> None:
    """pytest puts a folder with a conftest.py first on the path."""
    shutil.copy(EXERCISES / "conftest.py", learner.folder)
    (learner.folder / "random.py").write_text("raise SystemExit\n")
    learner.softmax("return np.exp(scores) * random.random()", "import random\nimport numpy as np")

    run = learner.run()

    assert "values differ" in run.failures
    assert "SystemExit" not in run.out


def test_with_that_file_the_other_ways_to_run_work(learner: Learner) -> None:
    shutil.copy(EXERCISES / "conftest.py", learner.folder)
    learner.solve("ex01")

    assert learner.run(FOLDER, "--solutions").status == 0
    assert learner.run(".", cwd=learner.folder).status == 0
