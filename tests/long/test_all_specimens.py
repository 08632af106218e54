"""Everything of which the other folders try a part, such as attacks, spellings and strangers."""

import os
import subprocess
import sys

import pytest

from kata.course.curriculum import ROOT
from tests.helpers.sampling import ALL


@pytest.mark.parametrize(
    "path",
    [
        "system/test_attacks.py",
        "system/test_proofs.py",
        "system/test_spellings.py",
        "system/test_strangers.py",
        "kata/course",
        "kata/grading/collecting",
        "kata/grading/similarity/test_flags.py",
        "kata/judging",
    ],
)
def test_all_of_them_end_as_they_should(path: str) -> None:
    command = [sys.executable, "-m", "pytest", "-q", f"tests/{path}"]
    done = subprocess.run(command, cwd=ROOT, env=os.environ | {ALL: "1"}, check=False,
                          capture_output=True, text=True)  # fmt: skip

    assert done.returncode == 0, done.stdout
