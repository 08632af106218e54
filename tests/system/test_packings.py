"""The same work gets the same marks, however it is packed."""

import csv
import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from kata.course.catalogue import bugs, wrong_answer
from kata.course.curriculum import exercises
from tests.helpers.grader import grader

Work = dict[str, str]  # the text of each exercise
CORE = [each for each in exercises().values() if each.core or each.short in {"ex12", "ex13"}]
SIBLING = re.compile(r"^from \.(ex\w+) import ", re.MULTILINE)
OWN_LINE = re.compile(r"^from \.ex\w+ import .*\n", re.MULTILINE)


def work(**mistakes: str) -> Work:
    """The solutions, with these mistakes."""
    known = {each.short: {bug.slug: bug for bug in bugs(each)} for each in CORE}
    return {each.slug: wrong_answer(each, *([known[each.short][mistakes[each.short]]]
                                            if each.short in mistakes else []))
            for each in CORE}  # fmt: skip


WORKS: dict[str, Work] = {
    "right": work(),
    "scrambled": work(ex07="split-view-without-transpose"),
    "unmasked": work(ex05="scores-fill-dropped", ex09="no-scale", ex14="pre-norm"),
}


def files(folder: Path, texts: Work) -> None:
    folder.mkdir(parents=True)
    for slug, text in texts.items():
        (folder / f"{slug}.py").write_text(text, encoding="utf-8")


def with_imports(line: str) -> Callable[[Path, Work], None]:
    """A file for each exercise, which imports others by such a line."""
    return lambda folder, texts: files(
        folder, {slug: SIBLING.sub(line, text) for slug, text in texts.items()}
    )


def with_plots(folder: Path, texts: Work) -> None:
    """As a notebook that was exported to a file."""
    head, end = "import matplotlib.pyplot as plt\n%matplotlib inline\n", "\n# In[3]:\nplt.show()\n"
    files(folder, {slug: f"{head}{text}{end}" for slug, text in texts.items()})


def one_file(folder: Path, texts: Work) -> None:
    folder.mkdir(parents=True)
    (folder / "homework.py").write_text(
        "\n\n".join(OWN_LINE.sub("", text) for text in texts.values()), encoding="utf-8"
    )


def notebook(folder: Path, texts: Work) -> None:
    folder.mkdir(parents=True)
    cells = [{"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None,
              "source": OWN_LINE.sub("", text)} for text in texts.values()]  # fmt: skip
    book = {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells}
    (folder / "homework.ipynb").write_text(json.dumps(book), encoding="utf-8")


PACKINGS: dict[str, Callable[[Path, Work], None]] = {
    "files": files,
    "files that import from exercises": with_imports(r"from exercises.\1 import "),
    "files that import by name": with_imports(r"from \1 import "),
    "files with plots": with_plots,
    "one file": one_file,
    "a notebook": notebook,
}


@pytest.fixture(scope="module")
def marks(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    """The marks of each work in each packing, by `work in packing`."""
    home = tmp_path_factory.mktemp("packed")
    for name, texts in WORKS.items():
        for packing, pack in PACKINGS.items():
            pack(home / "class" / f"{name} in {packing}", texts)
    slugs = [word for each in CORE for word in ("--only", each.short)]
    assert grader(home, "class", *slugs, "--seed", "7").status == 0
    text = (home / "grades" / "grades.csv").read_text(encoding="utf-8")
    return {row["student"]: [row[each.slug] for each in CORE]
            for row in csv.DictReader(text.splitlines())}  # fmt: skip


@pytest.mark.parametrize("name", WORKS)
def test_a_work_has_the_same_marks_in_every_packing(marks: dict[str, list[str]], name: str) -> None:
    usual = marks[f"{name} in files"]

    assert {packing: marks[f"{name} in {packing}"] for packing in PACKINGS} == dict.fromkeys(
        PACKINGS, usual
    )


def test_the_marks_of_these_works_differ(marks: dict[str, list[str]]) -> None:
    assert len({tuple(marks[f"{name} in files"]) for name in WORKS}) == len(WORKS)
