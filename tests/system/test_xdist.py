"""Exercises judged by several workers of pytest-xdist."""

import re
import shutil
from pathlib import Path

import pytest

from kata.course.curriculum import EXERCISES
from tests.helpers.answers import WRONG
from tests.helpers.learner_folder import FOLDER, Learner
from tests.kata.learner.test_editors import notes, write_mistake
from tests.kata.learner.test_learner_runs import CLAIMS, FIRST_CLAIM

WORKER = re.compile(r"^\[gw\d\] \S+ -- Python \S+ \S+ ")  # what xdist adds to the text of a report
OFTEN = 9  # calls
# The worker that has the first claim waits until the other one has called the function often.
SLOW = f"""\
for _ in range(500 if (scores == [1, -1, 2]).all() else 0):
    if not calls.exists() or calls.stat().st_size < {OFTEN}:
        time.sleep(0.01)
with calls.open("a") as file:
    file.write("x")
"""
IMPORTS = """\
import time
from pathlib import Path

import numpy as np

calls = Path("calls")"""


@pytest.fixture
def learner(tmp_path: Path) -> Learner:
    return Learner(tmp_path)


def test_with_xdist_and_the_file_of_a_checkout(learner: Learner) -> None:
    shutil.copy(EXERCISES / "conftest.py", learner.folder)
    learner.take("ex02")
    learner.softmax(WRONG)

    run = learner.run(FOLDER, "-n", "1")

    assert run.status == 1
    assert f"of {CLAIMS} claims hold" in run.board
    assert "· ex02_attention_scores" in run.board
    assert "scores divided by their sum" in run.out


def test_with_xdist_the_claim_shown_is_the_first_of_the_file(learner: Learner) -> None:
    """The worker that has it is slower than the one that has later claims."""
    learner.softmax(SLOW + WRONG, IMPORTS)

    run = learner.run(FOLDER, "-n", "2")

    assert (learner.home / "calls").stat().st_size >= OFTEN
    assert re.findall("_ (ex01 .*) _", run.failures) == [f"ex01 {FIRST_CLAIM.name}"]
    assert FIRST_CLAIM.sentence in run.failures
    assert f"of {CLAIMS} claims hold" in run.board
    assert run.count("failed") == 1


def test_with_xdist_an_editor_reads_the_same_and_the_mistake_is_named(learner: Learner) -> None:
    title = write_mistake(learner, "ex01_softmax", "no-exp")

    alone, shared = notes(learner, FOLDER), notes(learner, FOLDER, "-n", "2")

    assert title in " ".join(shared.run.out.split())
    theirs = shared.failing("ex01_softmax")
    assert {id_: WORKER.sub("", text) for id_, text in theirs.items()} == alone.failing(
        "ex01_softmax"
    )
    assert theirs
