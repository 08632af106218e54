"""The clock of a claim: what libraries put off until they are first used has been done before."""

import os
import subprocess
import sys

import pytest

from kata.course.curriculum import ROOT, exercises

FEW = 10  # modules of a library that a first call may import: they take no time
IMPORTS = """
import os, sys
from kata.course.curriculum import exercises
from kata.course.target import reference
from kata.judging.attempt import Attempt
from kata.judging.judge import check, import_torch, suite


def report(exercise):
    attempt = Attempt(exercise, reference())
    for claim in suite(exercise):
        before = {*sys.modules}
        found = check(claim, attempt)
        new = [name for name in sys.modules if name not in before]
        new = [name for name in new if not name.startswith("kata_target_")]
        print(exercise.short, claim.id, found.state, len(new), *new[:5], flush=True)


for library in ("numpy", "torch"):
    if library == "torch":
        PREPARE()
    for exercise in exercises().values():
        if exercise.library == library and not os.fork():
            report(exercise)
            os._exit(0)
        elif exercise.library == library:
            os.wait()
"""
WAYS = {
    "a learner's pytest": "import_torch",
    "a worker of the grader": "__import__('kata.inside.worker', fromlist=['warm_up']).warm_up",
}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="one Python for all exercises is forked")
@pytest.mark.parametrize("prepare", WAYS.values(), ids=WAYS)
def test_no_claim_imports_modules_while_its_clock_runs(prepare: str) -> None:
    """On a busy machine, a second of imports has looked like a loop without an end."""
    script = IMPORTS.replace("PREPARE", prepare)
    out = subprocess.check_output([sys.executable, "-c", script], cwd=ROOT, text=True)

    lines = [line.split() for line in out.splitlines()]
    assert {short for short, *_ in lines} == {each.short for each in exercises().values()}
    assert {" ".join(line[:2]): line[4:] for line in lines if int(line[3]) > FEW} == {}
