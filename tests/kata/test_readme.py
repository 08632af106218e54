"""The README's commands, output and counts are true."""

import html
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from docs import make_failing_run
from kata.__main__ import COMMANDS
from kata.course.catalogue import bugs, wrong_answer
from kata.course.curriculum import ROOT, exercises
from kata.grading.similarity.flags import flags
from kata.upkeep.faces import accepted
from tests.helpers.learner_folder import FOLDER, Learner

README = (ROOT / "README.md").read_text(encoding="utf-8")
TORCH = (
    "python3 -m venv .venv && .venv/bin/pip install --no-deps -c constraints.txt "
    "--index-url https://download.pytorch.org/whl/cpu torch && "
)
BLOCKS = re.findall(r"^```\n(.*?)^```", README, re.DOTALL | re.MULTILINE)


def test_two_lines_set_everything_up() -> None:
    lines = [line for line in README.splitlines() if line.startswith("python3 -m venv")]

    assert lines == [
        f"{TORCH}.venv/bin/pip install -e . && .venv/bin/pytest",
        f'{TORCH}.venv/bin/pip install -c constraints.txt -e ".[dev]" '
        "&& .venv/bin/pytest tests -n auto --dist worksteal",
    ]
    assert README.count("On Windows: `py -m venv .venv; ") == len(lines)


def test_the_board_is_the_one_that_a_fresh_clone_shows(learner: Learner) -> None:
    board = next(block for block in BLOCKS if "next: ex01_softmax" in block)

    assert board in learner.run("exercises", "-p", "no:cacheprovider", cwd=ROOT, anew=True).out


def test_the_failure_is_the_one_that_the_program_shows(learner: Learner) -> None:
    message = next(block for block in BLOCKS if "worst at" in block)
    learner.softmax("return scores / scores.sum(axis, keepdims=True)")

    assert message in learner.run(COLUMNS="86").out


def test_the_picture_of_a_run_is_up_to_date() -> None:
    """`python docs/make_failing_run.py` draws it again."""
    drawn = make_failing_run.PICTURE.read_text(encoding="utf-8")
    texts = "".join(re.findall(r"<text[^>]*>([^<]*)</text>", drawn))

    assert make_failing_run.plain(html.unescape(texts)) == make_failing_run.plain(
        make_failing_run.run()
    )


def test_every_command_is_in_the_table() -> None:
    table = README.split("## While you work")[1].split("## The exercises")[0]
    own = {"for_learners", "for_practice", "what_for"}
    others = {name for name, folder in COMMANDS.items() if folder not in own}

    assert set(re.findall(r"`kata (\w+)", table)) == set(COMMANDS) - others
    assert others <= set(re.findall(r"`(?:python -m )?kata (\w+)", README))


def test_the_commands_for_learners_work(learner: Learner) -> None:
    learner.solve("ex01", "ex02")
    commands = re.findall(r"^\| .* \| `pytest (.*)` \|$", README, re.MULTILINE)
    assert len(commands) == 7

    for command in commands:
        mine = command.replace("exercises/ex05_causal_masks.py", f"{FOLDER}/ex01_softmax.py")
        mine = mine.replace("exercises", FOLDER).replace("path/to/folder", FOLDER)
        run = learner.run(*mine.replace("-k gradients", "-k weight").split())
        assert run.status == 0, mine
        assert run.count("passed") > 0, mine


def test_every_exercise_is_in_the_table() -> None:
    table = README.split("## The exercises")[1].split("Conventions")[0]
    rows = re.findall(r"^\| (ex\d\d) (★)?.* \| (\d+) \| (\d+) \|$", table, re.MULTILINE)

    assert rows == [
        (each.short, "★" if each.core else "", str(each.minutes), str(each.points))
        for each in exercises().values()
    ]


def test_the_counts_are_those_of_the_catalogue() -> None:
    wrong = sum(len(bugs(each)) for each in exercises().values())
    right = sum(len(accepted(each)) for each in exercises().values())

    assert f"| {wrong} of {wrong} | `python -m kata check` |" in README
    assert f"| {right} of {right} | `python -m kata check` |" in README


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
    table = next(block for block in BLOCKS if "student" in block and "score" in block)
    write_class(tmp_path / "submissions")

    command = [sys.executable, str(ROOT / "grader.py"), "submissions", "--seed", "1"]
    shown = subprocess.run(command, cwd=tmp_path, env={**os.environ, "COLUMNS": "80"}, check=False,
                           capture_output=True, encoding="utf-8")  # fmt: skip

    assert shown.stdout == table


def test_the_attacks_are_counted() -> None:
    count = len(list((ROOT / "tests" / "specimens" / "attacks").glob("*.py")))

    assert f"| 0 of {count} | `python -m pytest tests/system/test_attacks.py` |" in README
