"""What the documents show of a terminal is what the programs print."""

import html
import os
import re
from pathlib import Path

import pytest

from docs import make_failing_run
from kata.course.catalogue import bugs, wrong_answer
from kata.course.curriculum import ROOT, exercises
from kata.grading.similarity.flags import flags
from kata.upkeep.faces import accepted
from tests.helpers.grader import program

TAMPERED = """\
import os

import numpy as np

os.system("nmap localhost")


def softmax(scores, axis=-1):
    return scores / scores.sum(axis, keepdims=True)
"""


def write_class(folder: Path) -> None:
    """Four students: one is done, one is halfway, one is malicious, one has a broken zip."""
    for name in ("ada", "ben", "cleo"):
        (folder / name).mkdir(parents=True)
    for slug, exercise in exercises().items():
        texts = [each.read_text(encoding="utf-8") for each in accepted(exercise)]
        right = [each for each in texts if not flags(exercise, each)]
        (folder / "ada" / f"{slug}.py").write_text(right[0], encoding="utf-8")
        if exercise.short < "ex10":
            (folder / "ben" / f"{slug}.py").write_text(right[-1], encoding="utf-8")
    five = exercises()["ex05_causal_masks"]
    mistake = next(each for each in bugs(five) if each.slug == "scores-fill-dropped")
    (folder / "ben" / five.filename).write_text(wrong_answer(five, mistake), encoding="utf-8")
    (folder / "cleo" / "ex01_softmax.py").write_text(TAMPERED)
    (folder / "dan.zip").write_bytes(b"PK\3\4")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="grading needs fork")
def test_the_table_is_the_one_that_a_class_gets(tmp_path: Path) -> None:
    pages = (ROOT / "README.md", ROOT / "docs" / "instructors.md")
    texts = [page.read_text(encoding="utf-8") for page in pages]
    blocks = [block for text in texts for block in re.findall(r"```\w*\n(.*?)```", text, re.DOTALL)]
    write_class(tmp_path / "submissions")

    run = program(tmp_path, "submissions", "--seed", "1")

    assert run.out == next(block for block in blocks if "student  " in block and "score" in block)


def test_the_picture_of_a_failing_run_is_up_to_date() -> None:
    """`python -m docs.make_failing_run` draws it again."""
    drawn = make_failing_run.PICTURE.read_text(encoding="utf-8")
    texts = "".join(re.findall(r"<text[^>]*>([^<]*)</text>", drawn))
    plain = make_failing_run.plain

    assert plain(html.unescape(texts)) == plain(make_failing_run.run())
