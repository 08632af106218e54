"""The same work gets the same marks, however it is packed."""

import csv
from pathlib import Path
from random import Random

import pytest

from kata.course.catalogue import bugs, wrong_answer
from kata.course.curriculum import exercises
from tests.helpers.grader import grader
from tests.helpers.packings import PACKINGS, drawn, write
from tests.helpers.sampling import everything, sample

CORE = [each for each in exercises().values() if each.core or each.short in {"ex12", "ex13"}]
DRAWS = 20 if everything() else 2  # of each work


def work(**mistakes: str) -> dict[str, str]:
    """The solutions, with these mistakes."""
    known = {each.short: {bug.slug: bug for bug in bugs(each)} for each in CORE}
    return {each.slug: wrong_answer(each, *([known[each.short][mistakes[each.short]]]
                                            if each.short in mistakes else []))
            for each in CORE}  # fmt: skip


WORKS = {
    "right": work(),
    "scrambled": work(ex07="split-view-without-transpose"),
    "unmasked": work(ex05="scores-fill-dropped", ex09="no-scale", ex14="pre-norm"),
    "unscaled": work(ex04="no-scale", ex05="attention-not-scaled", ex09="scaled-by-model-width"),
    "no shift": work(ex01="no-shift", ex04="no-shift", ex02="no-shift"),
    "wrong axis": work(ex01="whole-array", ex04="softmax-over-queries", ex02="axis-one"),
    "in place": work(ex01="in-place", ex02="key-multiplied-in-place", ex04="query-scaled-in-place"),
    "inverted": work(ex05="scores-inverted", ex09="mask-inverted", ex14="mask-inverted"),
    "leaking": work(ex05="causal-leaks-one", ex09="mask-after-softmax"),
    "merged": work(ex07="merge-without-transpose", ex09="merge-without-transpose"),
    "unregistered": work(ex09="heads-in-a-list", ex13="layers-in-a-list", ex14="parts-in-a-list"),
    "normalised": work(ex12="unbiased-variance", ex14="residuals-lost"),
    "fed forward": work(ex13="no-activation", ex14="x-changed"),
    "dropped out": work(ex09="dropout-in-evaluation", ex13="output-dropped"),
    "half precise": work(ex02="only-float64", ex05="scores-fill-too-large-for-half"),
}  # fmt: skip
TRIED = sample([*WORKS])


def graded(home: Path) -> dict[str, list[str]]:
    """The marks of everybody in the folder `class`."""
    slugs = ",".join(each.short for each in CORE)
    assert grader(home, "class", "--only", slugs, "--seed", "7").status == 0
    text = (home / "grades" / "grades.csv").read_text(encoding="utf-8-sig")
    return {row["student"]: [row[each.slug] for each in CORE]
            for row in csv.DictReader(text.splitlines())}  # fmt: skip


@pytest.fixture(scope="module")
def marks(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    """The marks of each work in each packing, by `work in packing`."""
    home = tmp_path_factory.mktemp("packed")
    for name in TRIED:
        for packing, pack in PACKINGS.items():
            write(home / "class" / f"{name} in {packing}", pack(WORKS[name]))
        for number in range(DRAWS):
            packed = drawn(WORKS[name], Random(f"{name} {number}"))
            write(home / "class" / f"{name} in draw {number}", packed)
    return graded(home)


@pytest.mark.parametrize("name", TRIED)
def test_a_work_has_the_same_marks_in_every_packing(marks: dict[str, list[str]], name: str) -> None:
    found = {student.partition(" in ")[2]: points
             for student, points in marks.items() if student.startswith(f"{name} in ")}  # fmt: skip

    assert found == dict.fromkeys(found, found["files"])
    assert len(found) == len(PACKINGS) + DRAWS


def test_the_marks_of_these_works_differ(marks: dict[str, list[str]]) -> None:
    assert len({tuple(marks[f"{name} in files"]) for name in TRIED}) == len(TRIED)


FLAT = [name for name, pack in PACKINGS.items() if not any("/" in each for each in pack(work()))]


@pytest.mark.parametrize("form", ["{0}_{1}_{2}_{3}", "{0}_{1}_assignsubmission_file_/{3}"])
def test_the_names_that_a_platform_gives_change_no_mark(
    marks: dict[str, list[str]], tmp_path: Path, form: str
) -> None:
    """In an export of Canvas, each file stands by itself."""
    name = "unmasked" if "unmasked" in TRIED else TRIED[0]
    for number, packing in enumerate(FLAT):
        for place, (file, content) in enumerate(PACKINGS[packing](WORKS[name]).items()):
            path = form.format(f"x{number}y", 101 + number, 9000 + 20 * number + place, file)
            write(tmp_path / "class", {path: content})

    found = graded(tmp_path)

    assert found == {f"x{number}y": marks[f"{name} in {packing}"]
                     for number, packing in enumerate(FLAT)}  # fmt: skip
