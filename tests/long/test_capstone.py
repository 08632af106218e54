"""`kata run` as it is started, with models of their real size."""

import math
import re
import subprocess
import sys
from pathlib import Path

import pytest

from kata.learner.capstone import letters


@pytest.mark.parametrize("words", [("sequences",), ("text", "--seconds", "6")])
def test_the_program_trains_a_model(tmp_path: Path, words: tuple[str, ...]) -> None:
    command = [sys.executable, "-m", "kata", "run", *words, "--folder", "."]

    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)

    if words[0] == "sequences":
        assert re.findall(r"right: +(\d+)%", done.stdout)[-1] == "100"
    else:
        loss = re.search(r"has not seen is (\d\.\d+)", " ".join(done.stdout.split()))
        assert float(loss[1]) < math.log(len(letters().alphabet))
