"""`kata submit` with notebooks, and what the grader takes from its zip."""

import json
import os
import shutil
import zipfile
from pathlib import Path

from kata.course.curriculum import ROOT, exercises
from tests.helpers.handing_in import handed_in
from tests.helpers.learner_folder import Learner, Run, run_python

SOFTMAX = "import numpy as np\n\n\ndef softmax(scores, axis=-1):\n    return np.exp(scores)\n"
MASK = "import torch\n\n\ndef causal_mask(size):\n    return torch.ones(size, size).bool()\n"


def book(path: Path, *cells: str) -> None:
    each = [{"cell_type": "code", "source": text, "metadata": {}, "outputs": []} for text in cells]
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps({"nbformat": 4, "nbformat_minor": 5, "cells": each}))


def submit(learner: Learner, *words: str) -> Run:
    settings = {"COLUMNS": "80", "PYTHONPATH": str(ROOT)}
    options = ["submit", "--folder", "mine", *words]
    done = run_python("kata", options, learner.home, **settings)
    assert "Traceback" not in done.out + done.err
    return done


def test_notebooks_with_work_in_them_are_handed_in(learner: Learner) -> None:
    learner.take("ex01", "ex02")
    learner.solve("ex03")
    book(learner.folder / "week 1.ipynb", "print(1)", SOFTMAX)
    book(learner.home / "notebooks" / "ex05_causal_masks.ipynb", MASK)
    book(learner.home / "notebooks" / "ex06_causal_attention.ipynb", "# not begun")
    book(learner.home / "notebooks" / "scratch.ipynb", "print(1)")

    run = submit(learner)

    assert run.status == 0
    assert run.out.splitlines() == [
        "  ex03_self_attention.py           changed since it was last judged",
        "  ex05_causal_masks.ipynb          holds ex05",
        "  week 1.ipynb                     holds ex01",
        "not started: ex02_attention_scores",
        "written: submission.zip",
    ]
    with zipfile.ZipFile(learner.home / "submission.zip") as archive:
        assert archive.namelist() == [
            "ex03_self_attention.py",
            "ex05_causal_masks.ipynb",
            "week 1.ipynb",
        ]
        kept = (learner.folder / "week 1.ipynb").read_bytes()
        assert archive.read("week 1.ipynb") == kept


def test_the_grader_takes_what_is_in_the_zip(learner: Learner) -> None:
    learner.solve("ex01")
    book(learner.folder / "hw.ipynb", SOFTMAX, MASK)

    out = submit(learner).out
    shutil.move(learner.home / "submission.zip", learner.folder.parent / "ann.zip")
    (ann,) = handed_in(learner.home / "ann.zip")

    assert "in a file and in a notebook: ex01; the grader takes the file\n" in out
    ex01 = exercises()["ex01_softmax"]
    assert [*ann.files] == ["ex01_softmax", "ex05_causal_masks"]
    assert ann.files["ex01_softmax"] == ex01.solution.read_bytes()


def test_what_is_no_notebook_is_left_out(learner: Learner) -> None:
    learner.solve("ex01")
    (learner.folder / "hw.ipynb").write_text("{")

    assert "left out: hw.ipynb: not a notebook: Expecting property name" in submit(learner).out


def test_a_notebook_alone_is_enough_and_the_core_is_the_core(learner: Learner) -> None:
    book(learner.folder / "hw.ipynb", SOFTMAX)
    book(learner.folder / "ex03.ipynb", "def self_attention(x):\n    return x")

    assert "hw.ipynb                         holds ex01" in submit(learner).out
    assert "ex03.ipynb" not in submit(learner, "--core").out


def test_of_a_file_and_a_notebook_of_its_name_the_one_saved_last_is_handed_in(
    learner: Learner,
) -> None:
    learner.solve("ex05")
    notebook = learner.folder / "ex05_causal_masks.ipynb"
    book(notebook, MASK)
    later = (learner.folder / "ex05_causal_masks.py").stat().st_mtime + 10
    os.utime(notebook, (later, later))

    assert submit(learner).out.splitlines()[0].split() == [notebook.name, "holds", "ex05"]

    book(notebook, "# not begun")
    os.utime(notebook, (later, later))

    assert submit(learner).out.splitlines()[0].startswith("  ex05_causal_masks.py ")


def test_tests_of_your_own_are_handed_in(learner: Learner) -> None:
    learner.solve("ex01")
    proofs = learner.home / "proofs"
    proofs.mkdir()
    (proofs / "ex01_softmax.py").write_text("def test_it():\n    assert True\n")
    stub = "def test_it():\n    raise NotImplementedError('not written yet')\n"
    (proofs / "ex02_attention_scores.py").write_text(stub)

    assert "  proofs/ex01_softmax.py           your own tests\n" in submit(learner).out
    with zipfile.ZipFile(learner.home / "submission.zip") as archive:
        assert archive.namelist() == ["ex01_softmax.py", "proofs/ex01_softmax.py"]


def test_what_a_link_leads_to_is_listed_and_not_packed(learner: Learner) -> None:
    learner.take("ex01")
    learner.solve("ex03")
    secret = learner.home / "secret"
    secret.write_text("A KEY")
    (learner.home / "proofs").mkdir()
    for path in (learner.folder / "ex01_softmax.py", learner.folder / "notes.ipynb",
                 learner.home / "proofs" / "ex02_attention_scores.py"):  # fmt: skip
        path.unlink(missing_ok=True)
        path.symlink_to(secret)

    run = submit(learner)

    assert run.status == 0
    for name in ("ex01_softmax.py", "ex02_attention_scores.py", "notes.ipynb"):
        assert f"left out: {name}: it is a link: copy what it leads to" in run.out
    with zipfile.ZipFile(learner.home / "submission.zip") as archive:
        assert archive.namelist() == ["ex03_self_attention.py"]
        assert not any(b"A KEY" in archive.read(name) for name in archive.namelist())


def test_whoever_has_links_alone_is_told_so(learner: Learner) -> None:
    learner.solve("ex01")
    path = learner.folder / "ex01_softmax.py"
    path.rename(learner.home / "elsewhere.py")
    path.symlink_to(learner.home / "elsewhere.py")

    run = submit(learner)

    assert run.status == 2
    assert "left out: ex01_softmax.py: it is a link" in run.out
