"""Whose work tests are: what an instructor is told of a proof."""

from functools import reduce
from pathlib import Path

import pytest

from kata.course.curriculum import ROOT, exercises
from kata.errors import UserError
from kata.grading.alike import (
    Alike,
    flagged_works,
    likenesses,
    pairs,
    read_shared_code,
    work_of,
)
from kata.grading.flags import flags_of_tests, work_of_tests
from kata.marks import PROOF

SLUG = "ex05_causal_masks"
TESTS = (ROOT / "tests" / "proofs" / f"{SLUG}.py").read_text()
RENAMED = TESTS.replace("def test_", "def test_of_mine_").replace("size", "length")
MINE = """
from exercises.ex05_causal_masks import *

def test_rows():
    for length in range(1, 7):
        mask = causal_mask(length)
        assert mask.shape == (length, length)
        for row in range(length):
            for column in range(length):
                assert bool(mask[row, column]) == (column <= row)

def test_padding():
    mask = padding_mask(torch.tensor([3, 1, 2]), 4)
    assert mask.sum(dim=-1).flatten().tolist() == [3, 1, 2]
    assert mask[1, 0].tolist() == [True, False, False, False]
"""


def found_in(**texts: str) -> Alike:
    """What is said of these tests, by student."""
    works = [(student, [work_of_tests(exercises()[SLUG], text)]) for student, text in texts.items()]
    return likenesses(works)[0]


def test_tests_are_compared_with_each_other_and_with_the_katas_own() -> None:
    names = {"row": "r", "column": "c", "mask =": "found =", "mask[": "found[", "mask.": "found."}
    renamed = reduce(lambda text, name: text.replace(*name), names.items(), MINE)
    found = found_in(ann=MINE, ben=renamed, eve=RENAMED)

    assert found["ann", PROOF + SLUG].text.startswith("in its tests: ")
    assert "the same steps as ben" in found["ann", PROOF + SLUG].text
    assert found["eve", f"{PROOF}{SLUG} model"].text.startswith("in its tests: 100 % the same")
    assert {student for student, _ in found} == {"ann", "ben", "eve"}
    assert [pair.shorts for pair in pairs(found)] == [["tests of ex05"]]


def test_a_solution_that_tests_compare_with_is_told() -> None:
    solution = exercises()[SLUG].solution.read_text().replace("def masked_", "def right_")
    text = f"{solution}\n{MINE}\ndef test_all(q):\n    assert right_attention(q) == 1\n"
    found = found_in(ann=text, ben=MINE)

    assert [*found] == [("ann", f"{PROOF}{SLUG} oracle")]
    assert (
        "has a function of the reference, names aside" in found["ann", f"{PROOF}{SLUG} oracle"].text
    )
    assert set(flagged_works(SLUG)) >= {work for _, work in found}


def test_what_everybody_was_given_is_no_sign_of_a_copy() -> None:
    exercise = exercises()["ex09_multi_head_attention"]
    own = next(exercise.accepted.glob("*.py")).read_text()
    works = [(student, [work_of(exercise, own)]) for student in ("ann", "ben")]

    assert [(pair.first, pair.second, pair.near) for pair in likenesses(works)[1]] == [
        ("ann", "ben", 1.0)
    ]
    assert likenesses(works, {exercise.slug: [own]}) == ({}, [])


@pytest.mark.parametrize("path", sorted((ROOT / "tests" / "specimens" / "one_law").glob("*.py")))
def test_honest_tests_have_no_flag(path: Path) -> None:
    assert flags_of_tests(exercises()[path.stem], path.read_text()) == []


def test_given_code_is_found_however_deep_it_lies(tmp_path: Path) -> None:
    (tmp_path / "2025" / "ann").mkdir(parents=True)
    (tmp_path / "2025" / "ann" / f"{SLUG}.py").write_text("x = 1", encoding="utf-8")

    assert read_shared_code(tmp_path) == {SLUG: ["x = 1"]}
    with pytest.raises(UserError, match="is not a folder"):
        read_shared_code(tmp_path / "no")
    (tmp_path / "other").mkdir()
    with pytest.raises(UserError, match="named after an exercise"):
        read_shared_code(tmp_path / "other")
