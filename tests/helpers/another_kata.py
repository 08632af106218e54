"""A copy of the whole kata, which a test may change."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from kata.course.curriculum import ROOT
from tests.helpers.learner_folder import Run

LEFT_OUT = ("__pycache__", ".*", "*.egg-info", "grades", "build")
HEAVY = ("accepted", "specimens", "kata", "long", "system")  # tests that no grader needs


def another_kata(home: Path) -> Path:
    """All that a grader or a learner uses; in it lies a kata of its own."""
    tests = str(ROOT / "tests")
    ignored = shutil.ignore_patterns(*LEFT_OUT)

    def left_out(folder: str, names: list[str]) -> set[str]:
        return ignored(folder, names) | (set(HEAVY) & set(names) if folder == tests else set())

    shutil.copytree(ROOT, home, ignore=left_out)
    return home


def whole_copy(home: Path) -> Path:
    """All of the kata, with its tests."""
    shutil.copytree(ROOT, home, ignore=shutil.ignore_patterns(*LEFT_OUT))
    return home


def run_in(home: Path, *command: str, **more: str) -> Run:
    """Run Python there, so that the kata which is imported is the one that lies there."""
    inherited = {k: v for k, v in os.environ.items() if not k.startswith(("PYTEST", "COV"))}
    settings = {"PYTHONPATH": str(home), "PYTHONIOENCODING": "utf-8", "COLUMNS": "200"}
    done = subprocess.run([sys.executable, *command], cwd=home, env=inherited | settings | more,
                          capture_output=True, encoding="utf-8", stdin=subprocess.DEVNULL,
                          timeout=300, check=False)  # fmt: skip
    return Run(done.returncode, done.stdout, done.stderr)
