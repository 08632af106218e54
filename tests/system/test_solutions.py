"""The reference passes its own suites, as a learner would run them; a GPU may be missing."""

import os
import subprocess
import sys

from kata.course.curriculum import ROOT, exercises

PATIENCE = 300


def test_every_claim_holds_for_the_solutions() -> None:
    """The gates of the fast tier judge those again whose suite or solution has changed."""
    command = [sys.executable, "-m", "pytest", "exercises", "--solutions", "-q"]
    done = subprocess.run(
        [*command, "-p", "no:cacheprovider"],
        cwd=ROOT, env={**os.environ, "COLUMNS": "200"}, capture_output=True, text=True,
        timeout=PATIENCE, check=False,
    )  # fmt: skip

    assert done.returncode == 0, done.stdout[-3000:]
    assert "every claim that was run holds" in done.stdout
    assert done.stdout.count(" claims hold") == len(exercises())
    assert " failed" not in done.stdout
