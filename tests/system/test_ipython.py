"""What notebooks do in a real IPython; tests/kata compares with it what is kept of it."""

import json
import subprocess
import sys

from kata.course.curriculum import ROOT
from tests.kata.course.test_cells import NOTEBOOKS, in_ipython


def test_what_is_kept_is_what_ipython_does() -> None:
    done = subprocess.run([sys.executable, "-m", "tests.helpers.run_all"], cwd=ROOT, check=True,
                          input=json.dumps(NOTEBOOKS), capture_output=True, text=True)  # fmt: skip

    assert json.loads(done.stdout.splitlines()[-1]) == in_ipython()
