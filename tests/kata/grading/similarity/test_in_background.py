"""The process that compares: what ends it, and what the instructor hears of that."""

import os
import signal

import pytest

from kata.course.curriculum import ROOT
from kata.grading.similarity.in_background import SimilarityProcess
from kata.words import say

SLUG = "ex09_multi_head_attention"
OWN = next((ROOT / "tests" / "accepted" / SLUG).glob("*.py")).read_bytes()
ODD = [
    b"x = " + b"1+" * 2500 + b"1", b"x = 0x" + b"f" * 20_000, b"\xff", b"x = " + b"-" * 5000,
    b"def f(:", b"class MultiHeadAttention(" + b"1+" * 2500 + b"1): ...",
]  # fmt: skip


def test_no_file_ends_it(capsys: pytest.CaptureFixture[str]) -> None:
    process = SimilarityProcess()
    process.add("ann", {SLUG: OWN})
    for number, each in enumerate(ODD):
        process.add(f"odd{number}", {SLUG: each})
    process.add("ben", {SLUG: OWN})

    assert {name for name, _ in process.end()} == {"ann", "ben"}
    assert [(each.one, each.other, each.near) for each in process.pairs] == [("ann", "ben", 1.0)]
    assert capsys.readouterr().err == ""


def test_what_everybody_was_given_is_no_sign_of_a_copy() -> None:
    process = SimilarityProcess({SLUG: [OWN.decode()]})
    for name in ("ann", "ben"):
        process.add(name, {SLUG: OWN})

    assert process.end() == {}
    assert process.pairs == []


def test_if_it_dies_one_line_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    process = SimilarityProcess()
    process.add("ann", {SLUG: OWN})
    os.kill(process._process.pid or 0, signal.SIGKILL)
    process._process.join()
    process.add("ben", {SLUG: OWN})

    assert process.end() == {}
    assert capsys.readouterr().err == f"{say('similarity.died')}\n"
