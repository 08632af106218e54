"""Every attack, spelling and stranger; tests/system tries each third."""

import os
import subprocess
import sys

import pytest

from kata.course.curriculum import ROOT
from tests.helpers.sampling import ALL


@pytest.mark.parametrize(
    "name", ["test_attacks", "test_proofs", "test_spellings", "test_strangers"]
)
def test_all_of_them_end_as_they_should(name: str) -> None:
    command = [sys.executable, "-m", "pytest", "-q", f"tests/system/{name}.py"]
    done = subprocess.run(command, cwd=ROOT, env=os.environ | {ALL: "1"}, check=False,
                          capture_output=True, text=True)  # fmt: skip

    assert done.returncode == 0, done.stdout
