"""Honest tests of every idiom count the same by `kata prove` and in class."""

import re
from contextlib import chdir
from pathlib import Path

import pytest

from kata.__main__ import main
from kata.commands.prove import as_graded
from kata.course.curriculum import ROOT, exercises
from kata.grading import sandbox
from kata.proofs.judge import judge
from kata.proofs.proof import proof_at
from kata.proofs.verdict import ProofVerdict

pytestmark = pytest.mark.skipif(bool(sandbox.missing()), reason="not all promises can be kept here")

HONEST = ROOT / "tests" / "specimens" / "one_law"
LONGEST = 99  # of a name, in class


def count_the_same(slug: str, folder: Path) -> None:
    """Judge the honest tests of an exercise at home and in class; tests/long does so for all."""
    proof = proof_at(exercises()[slug], HONEST / f"{slug}.py")

    # One of them writes a file into the current folder.
    with chdir(folder):
        assert counts(as_graded(proof)) == counts(judge(proof, level=1))


def test_the_command_says_what_the_class_would(capsys: pytest.CaptureFixture[str]) -> None:
    exercise = exercises()["ex12_layer_norm"]
    path = HONEST / exercise.filename
    here = judge(proof_at(exercise, path), level=1)

    status = main(["prove", "ex12", "--file", str(path), "--as-graded"])

    out = capsys.readouterr().out
    assert status == 1  # more is left to catch
    assert out.startswith(f"ex12_layer_norm: your tests catch {len(here.caught(1))} of the ")
    for each in here.tests:
        assert f"  {each.name}  " in out
    shown = {each.name: len(each.catches) for each in here.tests if each.counts}
    for name, count in shown.items():
        assert re.search(rf"  {name} +{count}\n", out), name
    assert out.count("does not count") == len(here.tests) - len(shown)


def counts(found: ProofVerdict) -> dict[str, tuple[object, ...]]:
    """What each test is worth, and what it catches."""
    return {each.name[:LONGEST]: (each.state, sorted(each.catches)) for each in found.tests}
