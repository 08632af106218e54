"""What is uploaded to a platform, set up and run as the platform does it, in an empty place."""

import base64
import io
import json
import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator

from kata.__main__ import main
from kata.course.curriculum import ROOT, exercises
from kata.grading import platforms as on_platform
from kata.grading import sandbox
from tests.helpers.classroom import Marking, numbers_of
from tests.helpers.sampling import release, sample

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="these platforms run Linux"),
    pytest.mark.timeout(600),
]

Files = dict[str, str | bytes]
Found = dict[str, Any]
ONLY = ("--only", "ex01", "--only", "ex02")
MOST = 2
RIGHT, RIGHT_TOO = (exercises()[slug].solution.read_text(encoding="utf-8")
                    for slug in ("ex01_softmax", "ex02_attention_scores"))  # fmt: skip
WRONG = """\
import numpy as np


def softmax(scores, axis=-1):
    powers = np.exp(scores)
    return powers / powers.sum(axis, keepdims=True)
"""
FORGED = {"score": 2, "tests": []}
SCORES = {"scores": {"ex01_softmax": 1, "ex02_attention_scores": 1}, "scoreboard": [2]}
# It knows where it is, says that all is well, and is wrong.
FORGER = f"""\
import os, sys

SAID = {json.dumps(FORGED)!r} + "\\n" + {json.dumps(SCORES)!r}


def say(stream):
    try:
        print(SAID, file=stream, flush=True)
        os.write(stream.fileno(), SAID.encode())
    except Exception:
        pass


def forge(path):
    try:
        with open(path, "w") as file:
            file.write(SAID)
    except Exception:
        pass


for stream in (sys.stdout, sys.stderr, sys.__stdout__):
    say(stream)
for path in PATHS:
    forge(path)

{WRONG}"""
# To put pip into a virtual environment takes long.
WITHOUT_PIP = """#!/bin/sh
if [ "$1 $2" = "-m venv" ]; then set -- "$@" --without-pip; fi
exec {python} "$@"
"""
SCHEMAS = ROOT / "kata" / "grading" / "reports" / "schemas"


def forger(paths: list[str]) -> str:
    return FORGER.replace("PATHS", repr(paths))


def mark(text: str) -> float:
    """What ex01 is worth if this is handed in, judged in this process."""
    with numbers_of(1):
        return Marking().marks({"ex01_softmax": text.encode()})["ex01_softmax"]


@pytest.fixture(scope="module")
def half() -> float:
    """What the wrong answer is worth."""
    worth = mark(WRONG)
    assert 0 < worth < 1
    return worth


def bomb() -> bytes:
    """A zip of some kilobytes in which lies a file of 64 MiB."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("ex01_softmax.py", bytes(64 << 20))
    return content.getvalue()


def book(*cells: str) -> str:
    """A notebook with these cells, and one that does nothing."""
    each = [{"cell_type": "code", "source": text, "metadata": {}, "outputs": []}
            for text in ("%pip list", *cells)]  # fmt: skip
    return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": each})


def write(folder: Path, files: Files) -> None:
    folder.mkdir(exist_ok=True)
    for name, content in files.items():
        (folder / name).write_bytes(content.encode() if isinstance(content, str) else content)


# Gradescope


@pytest.fixture(scope="module")
def machine() -> Iterator[Path]:
    """An image as Gradescope makes it: the zip unpacked in `source`, and setup.sh run.

    Its virtual environment is shown the packages of this one, pip and what builds the kata among
    them, so that nothing has to be fetched.
    """
    with TemporaryDirectory(prefix="autograder-") as folder:
        prefix = Path(folder)
        prefix.chmod(0o755)
        assert main(["platform", "gradescope", *ONLY, "--out", f"{folder}/autograder.zip"]) == 0
        _unzip(prefix / "autograder.zip", prefix / "source")
        _share_packages(prefix / "venv")
        python = prefix / "python"
        python.write_text(WITHOUT_PIP.format(python=sys.executable))
        python.chmod(0o755)
        settings = {"KATA_PYTHON": str(python), "PIP_NO_BUILD_ISOLATION": "0"}
        subprocess.run(["source/setup.sh"], cwd=prefix, check=True,
                       env=_environment(prefix) | settings)  # fmt: skip
        shutil.copy(prefix / "source" / "run_autograder", prefix)
        yield prefix


def _unzip(path: Path, folder: Path) -> None:
    """With the rights that the zip remembers, which zipfile forgets."""
    with zipfile.ZipFile(path) as archive:
        for each in archive.infolist():
            Path(archive.extract(each, folder)).chmod(each.external_attr >> 16)


def _share_packages(venv: Path) -> None:
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", venv], check=True)
    (packages,) = venv.glob("lib/python*/site-packages")
    there = [each for each in sys.path if Path(each).name in sandbox.PACKAGES]
    (packages / "shared.pth").write_text("\n".join(there))


def _environment(prefix: Path) -> dict[str, str]:
    inherited = {k: v for k, v in os.environ.items() if not k.startswith(("PYTEST", "PYTHON"))}
    return {**inherited, "AUTOGRADER": str(prefix), "KATA_PYTHON": sys.executable,
            "KATA_TORCH": ""}  # fmt: skip


Hand = Callable[..., Found]


@pytest.fixture
def hand_in(machine: Path) -> Iterator[Hand]:
    """Hand in some files and get results.json, as valid as Gradescope wants it."""

    def hand(files: Files) -> Found:
        write(machine / "submission", files)
        done = subprocess.run([machine / "run_autograder"], cwd=machine, check=False,
                              env=_environment(machine), capture_output=True)  # fmt: skip
        assert done.returncode == 0
        return results(machine)

    yield hand
    for name in ("submission", "results"):
        shutil.rmtree(machine / name, ignore_errors=True)


def results(machine: Path) -> Found:
    found: Found = json.loads((machine / "results" / "results.json").read_text(encoding="utf-8"))
    schema = json.loads((SCHEMAS / "gradescope.json").read_text(encoding="utf-8"))
    Draft202012Validator(schema).validate(found)
    assert found["extra_data"]["max_score"] == MOST
    assert found["stdout_visibility"] == "hidden"
    assert [each.name for each in (machine / "results").iterdir()] == ["results.json"]
    return found


def hidden(found: Found) -> str:
    return "\n".join(each["output"] for each in found["tests"] if each["visibility"] == "hidden")


def visible(found: Found) -> str:
    shown = [each["output"] for each in found["tests"] if each["visibility"] == "visible"]
    return "\n".join([found["output"], *shown])


def test_the_machine_runs_the_kata_of_the_zip_and_torch_was_not_fetched(machine: Path) -> None:
    code = "import kata, torch; print(kata.__file__, torch.__file__)"
    said = subprocess.check_output([machine / "venv" / "bin" / "python", "-c", code], cwd="/")
    ours = subprocess.check_output([sys.executable, "-c", "import torch; print(torch.__file__)"])

    assert said.decode().split()[0] == f"{machine}/source/attention-kata/kata/__init__.py"
    assert said.decode().split()[1] == ours.decode().strip()


def test_right_work_gets_all_points_from_a_notebook_as_from_files(hand_in: Hand) -> None:
    found = hand_in({"homework.ipynb": book(RIGHT, RIGHT_TOO)})

    assert found["score"] == MOST
    assert [each["score"] for each in found["tests"] if "score" in each] == [1, 1]
    assert "homework.ipynb counts for ex01, ex02" in visible(found)
    assert "--seed" in hidden(found)
    assert "--seed" not in visible(found)


def test_nothing_gets_nothing_and_is_told_so(hand_in: Hand) -> None:
    found = hand_in({})

    assert found["score"] == 0
    assert "it contains no exercise" in visible(found)


@release
def test_a_bomb_is_refused(hand_in: Hand) -> None:
    found = hand_in({"bomb.zip": bomb()})

    assert found["score"] == 0
    assert "is larger than" in visible(found)


def test_wrong_work_gets_the_claims_that_hold_and_what_cannot_be_read_costs_nothing_else(
    hand_in: Hand, machine: Path, half: float
) -> None:
    work = machine / "submission"
    work.joinpath(*"a" * 500).mkdir(parents=True)
    os.mkfifo(work / "ex03_self_attention.py")

    found = hand_in({"ex01_softmax.py": WRONG, "ex02_attention_scores.py": "def scores("})

    assert found["score"] == half
    assert "known mistake" in visible(found)
    assert "is not Python" in visible(found)
    assert "could not finish" not in visible(found)


def test_results_cannot_be_forged(hand_in: Hand, machine: Path, half: float) -> None:
    paths = [f"{machine}/results/{name}" for name in ("results.json", ".results.json.part")]

    found = hand_in({"ex01_softmax.py": forger(paths)})

    assert found["score"] <= half
    assert len([each for each in found["tests"] if "score" in each]) == MOST
    assert "tried" in hidden(found)


def test_a_fault_is_told_to_the_instructor_alone(hand_in: Hand, machine: Path) -> None:
    options = machine / "source" / "options.txt"
    before = options.read_text()
    options.write_text("--fourier\n")
    try:
        found = hand_in({"ex01_softmax.py": RIGHT})
    finally:
        options.write_text(before)

    assert found["score"] == 0
    assert "unrecognized arguments: --fourier" in hidden(found)
    assert "fourier" not in visible(found)
    assert "The grader could not finish" in visible(found)


@release
def test_a_machine_that_can_promise_less_grades_and_says_so(
    machine: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(sandbox, "missing", lambda: ["a submission cannot fly"])
    for name in ("results", "source", "submission"):
        (tmp_path / name).mkdir()
    for name in ("options.txt", "no-results.json"):
        shutil.copy(machine / "source" / name, tmp_path / "source")
    write(tmp_path / "submission", {"ex01_softmax.py": RIGHT})

    on_platform.gradescope(tmp_path)

    found = results(tmp_path)
    assert found["score"] == 1
    assert "this machine cannot promise that a submission cannot fly" in hidden(found)
    assert "as with --trusted" in hidden(found)
    assert "fly" not in visible(found)


# Autolab


@pytest.fixture
def autolab(tmp_path: Path) -> Callable[..., list[str]]:
    """Unpack what is uploaded beside what was handed in, call make, and get what is printed."""
    assert main(["platform", "autolab", *ONLY, "--out", str(tmp_path / "autolab.tar")]) == 0
    with tarfile.open(tmp_path / "autolab.tar") as archive:
        archive.extractall(tmp_path, filter="data")

    def make(text: str, notebook: str = "") -> list[str]:
        with zipfile.ZipFile(tmp_path / "submission.zip", "w") as archive:
            archive.writestr("ex01_softmax.py", text)
        (tmp_path / "homework.ipynb").write_text(notebook)
        makefile = (tmp_path / "autograde-Makefile").read_text()
        name = "homework.ipynb" if notebook else "submission.zip"
        (tmp_path / "Makefile").write_text(makefile.replace("submission.zip", name))
        done = subprocess.run(["make"], cwd=tmp_path, env=_environment(tmp_path), text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              check=False)  # fmt: skip
        assert done.returncode == 0
        return done.stdout.splitlines()

    return make


@release
def test_autolab_hands_in_one_notebook(autolab: Callable[..., list[str]]) -> None:
    assert json.loads(autolab(WRONG, notebook=book(RIGHT, RIGHT_TOO))[-1]) == SCORES


def test_the_last_line_is_the_scores_and_cannot_be_forged(
    autolab: Callable[..., list[str]], half: float
) -> None:
    feedback, scores = map(json.loads, autolab(forger(["no-scores.json", "options.txt"])))

    assert scores["scores"]["ex02_attention_scores"] == 0
    assert scores["scoreboard"] == [scores["scores"]["ex01_softmax"]]
    assert scores["scoreboard"][0] <= half
    assert feedback["ex01 Softmax"]


# GitHub


HANDED_IN = (
    ("exercises", "ex01_softmax.py", WRONG),
    ("notebooks", "ex01_softmax.ipynb", book(WRONG)),
)


@pytest.mark.parametrize(("folder", "name", "content"), sample(HANDED_IN))
def test_the_grade_step_hands_the_marks_on(
    machine: Path, tmp_path: Path, half: float, folder: str, name: str, content: str
) -> None:
    """The step's own command, with everything where the workflow's checkouts have put it."""
    words = ["github", "--repository=a/kata", "--ref=v1", "--out", str(tmp_path / "c.yml"), *ONLY]
    assert main(["platform", *words]) == 0
    steps = yaml.safe_load((tmp_path / "c.yml").read_text())["jobs"]["grade"]["steps"]
    grade = next(each for each in steps if each.get("id") == "kata")
    (tmp_path / "handed-in").mkdir()
    write(tmp_path / "handed-in" / folder, {name: content})
    shutil.copytree(machine / "source" / "attention-kata", tmp_path / "kata")

    said = subprocess.check_output(["bash", "-e", "-c", grade["run"]], cwd=tmp_path / "kata",
                                   env=_runner(machine, tmp_path), text=True)  # fmt: skip

    key, _, result = (tmp_path / "GITHUB_OUTPUT").read_text().strip().partition("=")
    marks = json.loads(base64.b64decode(result))
    assert key == "result"
    assert (marks["status"], marks["max_score"]) == ("fail", MOST)
    assert sum(each["score"] for each in marks["tests"]) == half
    assert "ex01_softmax" in (tmp_path / "GITHUB_STEP_SUMMARY").read_text()
    assert (tmp_path / "kata" / "results" / "junit.xml").is_file()
    assert said.startswith("the random numbers in claims: --seed ")


def _runner(machine: Path, home: Path) -> dict[str, str]:
    """What GitHub gives to a step, after the one that sets up Python."""
    files = {name: str(home / name) for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
    path = os.pathsep.join([str(machine / "venv" / "bin"), os.environ["PATH"]])
    return {**_environment(machine), **files, "PATH": path}
