"""What a test of a proof may do, by the table that both judges read, and in the same words."""

import ast
import random
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from kata.course.curriculum import ROOT, exercises
from kata.course.source import UnusableError
from kata.grading.proof_judge import proof_of
from kata.inside.conditions import (
    MOST_NUMBERS,
    UnavailableError,
    begin_chance,
    check_handed_over,
    without_entropy,
)
from kata.proofs.judge import judge
from kata.proofs.law import find_tests, refusals, table
from kata.proofs.proof import Proof
from kata.proofs.verdict import TestState

HONEST = ROOT / "tests" / "specimens" / "one_law"
EX01 = exercises()["ex01_softmax"]
UNTIL_CALLED = {"test_refused_large", "test_refused_large_result"}

REFUSED = [
    ("import inspect\ndef test(): inspect.signature(f)", "line 2 uses `inspect.signature`"),
    ("from inspect import signature as s\ndef test(): s(f)", "line 2 uses `inspect.signature`"),
    ("def test(): f.__code__", "line 1 uses `__code__`: a proof sees what a function does"),
    ("import numpy as np\ndef test(): np.load('x')", "`numpy.load`: a proof has no files"),
    ("def helper(): open('x')\ndef test(): helper()", "line 1 uses `open`: a proof has no files"),
    ("import time\nSTART = time.time()\ndef test(): pass", "line 2 uses `time.time`: how long"),
    ("class A:\n    def b(self): open('x')\ndef test(): A().b()", "line 2 uses `open`"),
    ("import torch\ndef test(): torch.autograd.grad(y, x, create_graph=True)", "`create_graph`"),
    ("import pytest\n@pytest.mark.skipif(True, reason='')\ndef test(): pass", "not `skipif`"),
    ("import pytest\npytestmark = pytest.mark.skip\ndef test(): pass", "not `skip`"),
    ("from pytest import mark\n@mark.xfail()\ndef test(): pass", "not `xfail`"),
    ("def test(tmp_path, x=1): pass", "it takes `tmp_path`: a test here takes no arguments"),
    ("def test(*, size): pass", "it takes `size`"),
    ("async def test(): pass", "it is `async` or a generator"),
    ("def test():\n    yield 1", "it is `async` or a generator"),
    (f"def test_{'a' * 96}(): pass", "its name has more than 100 characters"),
]
ALLOWED = [
    "import inspect, time, tempfile\ndef test(): pass",  # imported, and not used
    "def helper(): open('x')\ndef test(): pass",
    "import torch\ndef test(): torch.autograd.grad(y, x, create_graph=False)",
    "import pytest\n@pytest.mark.parametrize('size', [1])\ndef test(size): pass",
    "import pytest\n@pytest.mark.parametrize(NAMES, [1])\ndef test(size): pass",
    "def test():\n    return [each for each in (lambda: (yield), 1)]",
    "def test():\n    def steps():\n        yield 1\n    list(steps())",
    "def test(x=1, *args, **kwargs): pass",
    "def test(): opened.time()",
]


def test_what_a_test_may_not() -> None:
    told = {text: "".join(refusals(ast.parse(text)).values()) for text, _ in REFUSED}

    assert {text: told[text] for text, said in REFUSED if said not in told[text]} == {}


def test_what_a_test_may() -> None:
    told = {text: refusals(ast.parse(text)) for text in ALLOWED}

    assert {text: why for text, why in told.items() if why} == {}


def test_every_row_of_the_table_refuses_something_and_says_why() -> None:
    rows = table()["refused"]
    names = [(row, name) for row in rows for name in row.get("names", ())]

    assert all(row["why"] and row.keys() & {"names", "attributes", "keywords"} for row in rows)
    for row, name in names:
        text = f"import {name.partition('.')[0]}\ndef test():\n    {name}()"
        text = text.removeprefix("import open\n") if name == "open" else text
        assert row["why"] in refusals(ast.parse(text))["test"], name


def test_more_than_sixty_tests_are_refused_by_both() -> None:
    text = "".join(f"def test_{n}(): pass\n" for n in range(61))
    said = "it has more than 60 tests"

    for read in (
        lambda: Proof.of(EX01, EX01.stub, text),
        lambda: proof_of(EX01.slug, text.encode()),
        lambda: find_tests(ast.parse(text)),
    ):
        with pytest.raises(UnusableError, match=said):
            read()


@pytest.mark.parametrize("path", sorted(HONEST.glob("*.py")), ids=lambda path: path.stem)
def test_both_refuse_the_same_in_the_same_words(path) -> None:
    """Those that are called to find out are held against each other in a sandbox."""
    text = path.read_text(encoding="utf-8")
    here, there = Proof.of(exercises()[path.stem], path, text), proof_of(path.stem, text.encode())

    assert here.refusals == there.refusals
    assert [*here.tests] == [*there.tests]
    assert {name for name in here.tests if "refused" in name} - UNTIL_CALLED <= {*here.refusals}


def test_forty_honest_tests_and_more_are_held_against_each_other() -> None:
    texts = [path.read_text(encoding="utf-8") for path in HONEST.glob("*.py")]

    assert sum(len(find_tests(ast.parse(each))) for each in texts) >= 60


def test_what_the_text_refuses_does_not_count_at_home_either() -> None:
    text = (
        "import time\nfrom exercises.ex01_softmax import *\n"
        "def test_slept():\n    time.sleep(100)\n    assert softmax(np.zeros(2))[0] == 0.5\n"
    )
    (found,) = judge(Proof.of(EX01, EX01.stub, text), level=1).tests

    assert (found.state, found.catches) == (TestState.BROKEN, frozenset())
    assert found.remark.startswith("line 4 uses `time.sleep`: how long something takes")


HANDED_OVER = [
    1, 0.5, "x", None, np.float32(1), np.zeros(3), torch.zeros(3), torch.nn.Linear(2, 2), print,
    torch.float64, (1, [2, None]), SimpleNamespace(size=3), lambda: 0, torch.zeros,
]  # fmt: skip


def test_what_is_handed_over() -> None:
    for each in HANDED_OVER:
        check_handed_over(each)


def test_what_is_not_handed_over() -> None:
    with pytest.raises(UnavailableError, match="cannot hand over a set: numbers"):
        check_handed_over([{1}])
    with pytest.raises(UnavailableError, match="at most 2,097,152 numbers in one call"):
        check_handed_over(torch.zeros(1).expand(MOST_NUMBERS), np.zeros(1))


def test_a_generator_without_a_seed_draws_the_same_in_every_run() -> None:
    def drawn() -> list[float]:
        begin_chance(7)
        random.seed()
        np.random.seed()
        torch.seed()
        return [
            random.random(), np.random.rand(), float(torch.rand(())), random.Random().random(),
            np.random.RandomState().rand(), np.random.default_rng().random(),
            np.random.Generator(np.random.PCG64()).random(),
            np.random.Generator(np.random.Philox()).random(),
        ]  # fmt: skip

    before = np.random.default_rng, random.Random, torch.seed
    with without_entropy():
        first, second = drawn(), drawn()
        assert np.random.default_rng(5).random() == pytest.approx(0.8050029237453802)

    assert first == second
    assert len({*first}) == len(first)
    assert (np.random.default_rng, random.Random, torch.seed) == before
    assert np.random.RandomState().rand() != np.random.RandomState().rand()


ERRORS = """
from exercises.ex05_causal_masks import *

def test_text():
    try:
        padding_mask("x", "y")
    except Exception as error:
        assert str(error).startswith("an error that the contract does not name")

def test_own_text():
    with pytest.raises(ValueError, match="7"):
        padding_mask(torch.tensor([7]), 3)

def test_on_purpose():
    padding_mask("x", "y")
"""


def test_what_a_library_says_of_wrong_arguments_is_no_evidence() -> None:
    """It tells how an answer is written: seven of twelve wrong answers, and no right one."""
    ex05 = exercises()["ex05_causal_masks"]
    proof = Proof.of(ex05, ex05.stub, f"import pytest\nimport torch{ERRORS}")
    text, own, purpose = judge(proof, level=1).tests

    assert (text.state, text.catches) == (TestState.COUNTS, frozenset())
    assert own.catches
    assert purpose.state is TestState.BROKEN
    first, second = purpose.refusals[0].error.splitlines()
    assert first.startswith("AttributeError: 'str' object has no attribute")
    assert second.startswith("an error that the contract does not name")
