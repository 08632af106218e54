"""What is decided about proofs without running them, and what is told of them."""

from pathlib import Path
from unittest.mock import ANY

import pytest

from kata.class_verdict import SubmissionVerdict, submission_from_dict, submission_to_dict
from kata.course.curriculum import ACCEPTED, exercises
from kata.course.source import UnusableError
from kata.errors import LostError
from kata.grading.collecting.submissions import Submission
from kata.grading.proof_judge import (
    ONLY_IN_PROCESS,
    ProofJudge,
    Proving,
    answers,
    defined,
    order,
    proof_of,
)
from kata.grading.relay import InconsistentError, Past, Trail
from kata.grading.reports.wording import proof_lines
from kata.marks import Mark, Outcome, Proved, ProvedTest
from kata.verdict import ExerciseVerdict
from tests.helpers.handing_in import handed_in, write
from tests.helpers.packings import in_cells

EX05, EX09 = exercises()["ex05_causal_masks"], exercises()["ex09_multi_head_attention"]
TRAPS = (("a", "the first trap"), ("b", "the second trap"))
LONG = "a" * 96  # with `test_` one character more than is kept
TEXT = b"from exercises.ex05_causal_masks import causal_mask\n\ndef test_one():\n    assert True\n"


def caught(*names: str, outcome: Outcome = Outcome.COUNTS) -> ProvedTest:
    return ProvedTest("test_it", 3, outcome, names)


COUNTS_FOR_NOTHING = (Outcome.RANDOM, Outcome.SLOW, Outcome.BROKEN)


@pytest.mark.parametrize(("tests", "share", "missed"), [
    ([caught("a")], 0.5, ("the second trap",)),
    ([caught("a"), caught("a")], 0.5, ("the second trap",)),
    ([caught("a"), caught("b")], 1, ()),
    ([caught("a", "b"), caught(outcome=Outcome.REFUSES)], 0, ()),
    *[([caught("a", "b"), caught(outcome=outcome)], 1, ()) for outcome in COUNTS_FOR_NOTHING],
])  # fmt: skip
def test_the_mark_is_the_share_that_is_caught_unless_a_right_answer_is_refused(
    tests: list[ProvedTest], share: float, missed: tuple[str, ...]
) -> None:
    proved = Proved("ex05", TRAPS, tuple(tests))

    assert (proved.share, proved.missed) == (share, missed)


def test_points_for_proofs_are_added_only_where_they_are_given() -> None:
    verdicts, marks = (ExerciseVerdict(EX05.slug),), (Mark(1.0, 3.0),)
    proofs = (Proved(EX05.slug, TRAPS, (caught("a"),)),)
    ungraded = SubmissionVerdict("ann", verdicts, marks, proofs=proofs)
    graded = SubmissionVerdict("ann", verdicts, marks, proofs=proofs, proof_points=4)

    assert (ungraded.score, ungraded.most) == (1.0, 3.0)
    assert (graded.score, graded.most) == (3.0, 7.0)
    assert submission_from_dict(submission_to_dict(ungraded)) == ungraded


def test_the_author_is_told_no_trap() -> None:
    refuses = ProvedTest("test_x", 3, Outcome.REFUSES, answer="loops", because="It is free.",
                         error="AssertionError", at=5)  # fmt: skip

    assert [*proof_lines(Proved(EX05.slug, TRAPS, (caught("a"), refuses)))] == [
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

    assert proof.needs == ["ex05_causal_masks", "ex07_heads"]
    assert [*proof.tests] == ["test_stub", "test_sizes", "test_wrong", f"test_{LONG}"]
    assert proof.written == ["test_sizes", "test_wrong", f"test_{LONG}"]
    assert [*proof.refusals] == ["test_wrong", f"test_{LONG}"]
    assert proof.refusals[f"test_{LONG}"] == "its name has more than 100 characters"


def test_what_was_run_on_no_right_answer_never_counts() -> None:
    judge = ProofJudge(None, None, 1.0, 7)  # type: ignore[arg-type]  # nothing is started

    with pytest.raises(LostError, match="test_one was run on no right answer"):
        Proving(judge, proof_of(EX05.slug, TEXT), TRAPS, end=0).worth("test_one")


@pytest.mark.parametrize(("text", "problem"), [
    (b"def helper(): pass\n", "there are no functions"), (b"def test_a(:\n", "is not Python"),
    (b"".join(b"def test_%d(): pass\n" % n for n in range(61)), "more than 60 tests"),
    (b"#" * 40_000, "bytes"),
])  # fmt: skip
def test_a_proof_that_cannot_be_judged_says_why(text: bytes, problem: str) -> None:
    with pytest.raises(UnusableError, match=problem):
        proof_of(EX05.slug, text)


def test_the_first_other_thing_after_the_same_answers_is_found() -> None:
    past: Past = {}

    def run(seed: int, asks: bytes, gets: bytes, ends: bytes) -> None:
        trail = Trail(past, seed)
        trail.does(asks)
        trail.gets(gets)
        trail.does(ends)

    for _ in range(2):
        run(1, b"ask 2", b"2", b"passed")
    run(1, b"ask 2", b"another answer", b"failed")  # it may: it was told something else
    run(2, b"ask 3", b"2", b"passed")  # another seed draws other numbers
    for asks, ends in ((b"ask 2", b"failed"), (b"ask 3", b"passed")):
        with pytest.raises(InconsistentError):
            run(1, asks, b"2", ends)


@pytest.mark.parametrize("exercise", exercises().values(), ids=lambda exercise: exercise.short)
def test_nothing_but_its_text_tells_answers_apart(exercise) -> None:
    orders = [order(exercise, answer, ["ex07_heads"]) for answer in answers(exercise)[0]]
    own = ([part[:3] for part in parts if part[1] == exercise.slug][-1:] for parts, _ in orders)

    assert len({str(part) for part in own}) == 1
    assert len({str(names) for _, names in orders}) == 1
    assert defined(EX09.slug) == (EX09.slug, [], ["MultiHeadAttention"])  # for a test's process
    assert all((ACCEPTED / slug / f"{name}.py").is_file() for slug, name in ONLY_IN_PROCESS)


def submission_of(folder: Path, files: dict[str, bytes]) -> Submission:
    files = {f"ann/{name}": content for name, content in files.items()}
    ann, _ = handed_in(write(folder, {**files, "ben/ex01_softmax.py": b"x = 1\n"}))
    return ann


PROOF, NOTEBOOK = "proofs/ex05_causal_masks.py", "ex05_causal_masks.ipynb"
WORK = EX05.solution.read_bytes()
TESTS_ITSELF = WORK + (b"\n\nHELP = '''\nfrom exercises.ex05_causal_masks import *\n'''\n"
                       b"\n\ndef test_mine():\n    assert causal_mask(1).item()\n")  # fmt: skip
TEST_CELL = in_cells(["def test_first():\n    assert causal_mask(1).item()"])
NO_PYTHON = in_cells([WORK.decode(), "def test_first(:\n    assert causal_mask(1)"])


@pytest.mark.parametrize(("files", "answer", "proof"), [
    *[({EX05.filename: WORK, f"{folder}/{EX05.filename}": TEXT}, WORK, TEXT)
      for folder in ("proofs", "work/proofs", "tests of mine")],
    ({PROOF: TEXT}, None, TEXT),
    ({EX05.filename: TESTS_ITSELF}, TESTS_ITSELF, None),
    ({NOTEBOOK: TEST_CELL, PROOF: TEXT}, ANY, TEXT),  # a file counts before cells
    ({NOTEBOOK: NO_PYTHON}, ANY, None),
])  # fmt: skip
def test_a_proof_is_known_by_its_folder_or_by_its_text(
    tmp_path: Path, files: dict[str, bytes], answer: bytes | None, proof: bytes | None
) -> None:
    ann = submission_of(tmp_path, files)

    assert ann.files == ({EX05.slug: answer} if answer else {})
    assert ann.proofs == ({EX05.slug: proof} if proof else {})
    assert (bool(ann.notes), ann.problem) == ({NOTEBOOK, PROOF} <= files.keys(), "")


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
    ann = submission_of(tmp_path, {NOTEBOOK: in_cells(cells)})
    (text,) = ann.proofs.values()

    assert [*ann.files] == [*ann.proofs] == [EX05.slug]
    assert text.startswith(b"from exercises.ex05_causal_masks import *\n")
    assert b"def test_first():\n    assert first_row(SIZE) == [True, False]\n" in text
    assert [*proof_of(EX05.slug, text).tests] == ["test_first"]
    for left_out in (b"def causal_mask", b"test_of_no_exercise", b"prove("):
        assert left_out not in text
