"""What the documents show of a terminal is what the programs print."""

import html
import os
import re
import sys
from pathlib import Path

import pytest

from kata.course.catalogue import bugs, wrong_answer
from kata.course.curriculum import ROOT, Exercise, exercises
from kata.grading.flags import flags
from kata.handouts.readme_pictures import DOCS, output_of_run
from kata.upkeep.faces import accepted
from tests.helpers.documented import guide
from tests.helpers.grader import program
from tests.helpers.sampling import everything

DONE = ("ada ", "ben ", "mean ")  # lines about all that was handed in

TAMPERED = """\
import os

import numpy as np

os.system("nmap localhost")


def softmax(scores, axis=-1):
    return scores / scores.sum(axis, keepdims=True)
"""


def write_class(folder: Path) -> None:
    """Four students: one is done, one is halfway, one is malicious, one has a broken zip.

    At a push the first two have handed in little, as it takes long to grade.
    """
    for name in ("ada", "ben", "cleo"):
        (folder / name).mkdir(parents=True)
    for at, (slug, exercise) in enumerate(exercises().items()):
        if everything() or at == 0:
            write(folder / "ada" / f"{slug}.py", exercise, 1)
        if everything() and exercise.short < "ex10":
            write(folder / "ben" / f"{slug}.py", exercise, -1)
    five = exercises()["ex05_causal_masks"]
    mistake = next(each for each in bugs(five) if each.slug == "scores-fill-dropped")
    (folder / "ben" / five.filename).write_text(wrong_answer(five, mistake), encoding="utf-8")
    (folder / "cleo" / "ex01_softmax.py").write_text(TAMPERED)
    (folder / "dan.zip").write_bytes(b"PK\3\4")


def write(path: Path, exercise: Exercise, step: int) -> None:
    """The first or the last of the right answers that are not like the reference."""
    texts = (each.read_text(encoding="utf-8") for each in accepted(exercise)[::step])
    path.write_text(next(each for each in texts if not flags(exercise, each)), encoding="utf-8")


def counted(table: str) -> list[str]:
    """What is compared: at a push not how wide a column is, which depends on what is left out."""
    if everything():
        return table.splitlines()
    return [" ".join(line.split()) for line in table.splitlines() if not line.startswith(DONE)]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="grading needs fork")
def test_the_table_is_the_one_that_a_class_gets(tmp_path: Path) -> None:
    texts = [(ROOT / "README.md").read_text(encoding="utf-8"), guide()]
    blocks = [block for text in texts for block in re.findall(r"```\w*\n(.*?)```", text, re.DOTALL)]
    write_class(tmp_path / "submissions")

    run = program(tmp_path, "submissions", "--seed", "1")

    shown = next(block for block in blocks if "student  " in block and "score" in block)
    assert counted(run.out) == counted(shown)


def plain(text: str) -> str:
    """The text without colours and spaces, which an SVG writes differently."""
    return re.sub(r"\s|\x1b\[[\d;]*m", "", text)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no pseudo-terminals")
def test_the_picture_of_a_failing_run_is_up_to_date() -> None:
    """`python -m kata.handouts.readme_pictures failing-run.svg` draws it again."""
    drawn = (DOCS / "failing-run.svg").read_text(encoding="utf-8")
    texts = "".join(re.findall(r"<text[^>]*>([^<]*)</text>", drawn))

    assert plain(html.unescape(texts)) == plain(output_of_run())
