"""What is decided about proofs without running them, and what is told of them."""

import json
from pathlib import Path

import pytest

from kata.class_verdict import SubmissionVerdict, submission_from_dict, submission_to_dict
from kata.course.curriculum import ACCEPTED, exercises
from kata.course.source import UnusableError
from kata.errors import LostError
from kata.grading.collecting.submissions import handed_in
from kata.grading.proving.judge import (
    LOCAL,
    ProofJudge,
    Proving,
    defined,
    order,
    proof_of,
    right_answers,
)
from kata.grading.proving.relay import Consistency, InconsistentError
from kata.grading.reports.wording import proof_lines
from kata.points import Mark
from kata.proved import Outcome, Proved, ProvedTest
from kata.verdict import ExerciseVerdict

EX05, EX09 = exercises()["ex05_causal_masks"], exercises()["ex09_multi_head_attention"]
TRAPS = (("a", "the first trap"), ("b", "the second trap"))
LONG = "a" * 96  # with `test_` one character more than is kept
TEXT = b"from exercises.ex05_causal_masks import causal_mask\n\ndef test_one():\n    assert True\n"


def caught(*names: str, outcome: Outcome = Outcome.COUNTS) -> ProvedTest:
    return ProvedTest("test_it", 3, outcome, names)


def test_the_mark_is_the_share_that_is_caught_by_any_test() -> None:
    assert Proved("ex05", TRAPS, (caught("a"), caught("a"))).share == 0.5
    assert Proved("ex05", TRAPS, (caught("a"), caught("b"))).share == 1
    assert Proved("ex05", TRAPS, (caught("a"), caught("b"))).missed == ()
    assert Proved("ex05", TRAPS, (caught("a"),)).missed == ("the second trap",)


def test_a_set_of_tests_that_refuses_a_right_answer_is_worth_nothing() -> None:
    refuses = caught(outcome=Outcome.REFUSES)

    assert Proved("ex05", TRAPS, (caught("a", "b"), refuses)).share == 0


@pytest.mark.parametrize("outcome", [Outcome.RANDOM, Outcome.SLOW, Outcome.BROKEN])
def test_one_that_counts_for_nothing_costs_nothing(outcome: Outcome) -> None:
    assert Proved("ex05", TRAPS, (caught("a", "b"), caught(outcome=outcome))).share == 1


def test_points_for_proofs_are_added_only_where_they_are_given() -> None:
    found = ExerciseVerdict(EX05.slug)
    proved = Proved(EX05.slug, TRAPS, (caught("a"),))
    without = SubmissionVerdict("ann", (found,), (Mark(1.0, 3.0),), proofs=(proved,))
    given = SubmissionVerdict("ann", (found,), (Mark(1.0, 3.0),), proofs=(proved,), proof_points=4)

    assert (without.score, without.most) == (1.0, 3.0)
    assert (given.score, given.most) == (3.0, 7.0)
    assert submission_from_dict(submission_to_dict(without)) == without


def test_the_author_is_told_no_trap() -> None:
    refuses = ProvedTest("test_x", 3, Outcome.REFUSES, answer="loops", because="It is free.",
                         error="AssertionError", at=5)  # fmt: skip
    told = [*proof_lines(Proved(EX05.slug, TRAPS, (caught("a"), refuses)))]

    assert told == [
        "test_x, line 5, refuses a right answer, loops: AssertionError. "
        "The contract says: It is free.",
        "the tests catch 1 of 2 traps, which count for nothing while a right answer is refused",
    ]


def test_what_the_text_of_a_proof_says() -> None:
    text = b"""
from exercises.ex09_multi_head_attention import MultiHeadAttention
from exercises.ex07_heads import split_heads
import exercises.ex05_causal_masks
import pytest

def helper(x):
    return x

def test_stub():
    raise NotImplementedError("not written yet")

@pytest.mark.parametrize("size", [1, 2])
def test_sizes(size):
    assert size

def test_wrong(size):
    assert size

def test_%s():
    assert 0
""" % LONG.encode()
    proof = proof_of(EX09.slug, text)

    assert proof.others == ["ex05_causal_masks", "ex07_heads"]
    assert [*proof.tests] == ["test_stub", "test_sizes", "test_wrong", f"test_{LONG}"]
    assert proof.written == ["test_sizes", "test_wrong", f"test_{LONG}"]
    assert [*proof.refusals] == ["test_wrong", f"test_{LONG}"]
    assert proof.refusals[f"test_{LONG}"] == "its name has more than 100 characters"


def test_what_was_run_on_no_right_answer_never_counts() -> None:
    judge = ProofJudge(None, None, 1.0, 7)  # type: ignore[arg-type]  # nothing is started

    with pytest.raises(LostError, match="test_one was run on no right answer"):
        Proving(judge, proof_of(EX05.slug, TEXT), TRAPS).worth("test_one")


@pytest.mark.parametrize(("text", "said"), [
    (b"def helper(): pass\n", "there are no functions"), (b"def test_a(:\n", "is not Python"),
    (b"".join(b"def test_%d(): pass\n" % n for n in range(61)), "more than 60 tests"),
    (b"#" * 40_000, "bytes"),
])  # fmt: skip
def test_a_proof_that_cannot_be_judged_says_why(text: bytes, said: str) -> None:
    with pytest.raises(UnusableError, match=said):
        proof_of(EX05.slug, text)


def test_the_first_other_thing_after_the_same_answers_is_found() -> None:
    known = Consistency()
    for asks in (b"2", b"2"):
        trail = known.trail(1)
        trail.does(b"ask 2")
        trail.gets(asks)
        trail.does(b"passed")

    other = known.trail(1)
    other.does(b"ask 2")
    other.gets(b"another answer")
    other.does(b"failed")  # it may: it was told something else

    same = known.trail(1)
    same.does(b"ask 2")
    same.gets(b"2")
    with pytest.raises(InconsistentError):
        same.does(b"failed")
    known.trail(2).does(b"ask 3")  # another seed draws other numbers
    with pytest.raises(InconsistentError):
        known.trail(1).does(b"ask 3")


@pytest.mark.parametrize("exercise", exercises().values(), ids=lambda each: each.short)
def test_nothing_but_its_text_tells_answers_apart(exercise) -> None:
    orders = [order(exercise, each, ["ex07_heads"]) for each in right_answers(exercise)]
    heads = {(parts[-1][:3], *[tuple(each) for each in names]) for parts, names in
             [([part for part in parts if part[1] == exercise.slug], names)
              for parts, names in orders]}  # fmt: skip

    assert len(heads) == 1


def test_those_that_only_work_in_one_process_are_right_answers() -> None:
    found = [(ACCEPTED / slug / f"{name}.py").is_file() for slug, name in LOCAL]

    assert all(found)


def test_what_a_tests_process_is_told_of_an_exercise_is_names() -> None:
    assert defined(EX09.slug) == (EX09.slug, [], ["MultiHeadAttention"])


def hand_in(folder: Path, files: dict[str, bytes]) -> Path:
    for name, content in files.items():
        path = folder / "ann" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    (folder / "ben").mkdir()
    (folder / "ben" / "ex01_softmax.py").write_text("x = 1\n")
    return folder


@pytest.mark.parametrize("name", ["proofs/ex05_causal_masks.py", "work/proofs/ex05_causal_masks.py",
                                  "tests of mine/ex05_causal_masks.py"])  # fmt: skip
def test_a_proof_is_known_by_its_folder_or_by_its_text(tmp_path: Path, name: str) -> None:
    work = EX05.solution.read_bytes()
    ann, _ = handed_in(hand_in(tmp_path, {"ex05_causal_masks.py": work, name: TEXT}))

    assert (ann.files, ann.proofs) == ({EX05.slug: work}, {EX05.slug: TEXT})
    assert (ann.notes, ann.problem) == ((), "")


def test_proofs_alone_can_be_handed_in(tmp_path: Path) -> None:
    ann, _ = handed_in(hand_in(tmp_path, {"proofs/ex05_causal_masks.py": TEXT}))

    assert (ann.files, ann.proofs, ann.problem) == ({}, {EX05.slug: TEXT}, "")


def test_another_proof_is_other_work(tmp_path: Path) -> None:
    first, _ = handed_in(hand_in(tmp_path / "1", {"proofs/ex05_causal_masks.py": TEXT}))
    other, _ = handed_in(hand_in(tmp_path / "2", {"proofs/ex05_causal_masks.py": TEXT + b"#"}))

    assert first.digest != other.digest


def test_an_answer_that_tests_itself_is_an_answer(tmp_path: Path) -> None:
    work = EX05.solution.read_bytes()
    work += b"\n\nHELP = '''\nfrom exercises.ex05_causal_masks import *\n'''\n"
    work += b"\n\ndef test_mine():\n    assert causal_mask(1).item()\n"
    ann, _ = handed_in(hand_in(tmp_path, {"ex05_causal_masks.py": work}))

    assert (ann.files, ann.proofs) == ({EX05.slug: work}, {})


def notebook(*cells: str) -> bytes:
    made = [{"cell_type": "code", "metadata": {}, "outputs": [], "source": each} for each in cells]
    return json.dumps({"cells": made, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}).encode()


def test_a_notebook_may_hold_tests(tmp_path: Path) -> None:
    """They need what their cells need, and not the answer that stands beside them."""
    cells = [
        "import torch\nfrom torch import Tensor\nSIZE = 2",
        EX05.solution.read_text(),
        "def first_row(size):\n    return causal_mask(size)[0].tolist()\n",
        "def test_first():\n    assert first_row(SIZE) == [True, False]\n\ntest_first()",
        "def test_of_no_exercise():\n    assert SIZE == 2",
        "prove(test_first)",
    ]
    ann, _ = handed_in(hand_in(tmp_path, {"ex05_causal_masks.ipynb": notebook(*cells)}))
    (text,) = ann.proofs.values()

    assert [*ann.files] == [*ann.proofs] == [EX05.slug]
    assert text.startswith(b"from exercises.ex05_causal_masks import *\n")
    assert b"def test_first():\n    assert first_row(SIZE) == [True, False]\n" in text
    assert [*proof_of(EX05.slug, text).tests] == ["test_first"]
    for left_out in (b"def causal_mask", b"test_of_no_exercise", b"prove("):
        assert left_out not in text


def test_tests_in_cells_that_are_no_python_cost_nothing_else(tmp_path: Path) -> None:
    cells = [EX05.solution.read_text(), "def test_first(:\n    assert causal_mask(1)"]
    ann, _ = handed_in(hand_in(tmp_path, {"ex05_causal_masks.ipynb": notebook(*cells)}))

    assert ([*ann.files], ann.proofs, ann.problem) == ([EX05.slug], {}, "")


def test_a_file_of_tests_counts_before_tests_in_a_notebook(tmp_path: Path) -> None:
    cells = "def test_first():\n    assert causal_mask(1).item()"
    ann, _ = handed_in(hand_in(tmp_path, {
        "ex05_causal_masks.ipynb": notebook(cells), "proofs/ex05_causal_masks.py": TEXT,
    }))  # fmt: skip

    assert ann.proofs == {EX05.slug: TEXT}
