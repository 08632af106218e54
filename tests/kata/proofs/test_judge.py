"""What tests by learners are worth: judged on the real right and wrong answers."""

import random
import sys

import numpy as np
import pytest

from kata.course.curriculum import exercises
from kata.course.source import UnusableError
from kata.proofs import judge as judging
from kata.proofs.answers import REFERENCE, because, right_answers
from kata.proofs.calls import turn
from kata.proofs.proof import proof_stub
from kata.proofs.verdict import TestState
from tests.helpers.later import torch
from tests.helpers.proofs import (
    FIRST,
    FIRST_SLUG,
    GOOD,
    HEAD,
    NAIVE,
    OVERSPECIFIED,
    SHAPES,
    SLUG,
    judged,
    judged_anew,
    proof_of,
    the_only,
)

EX05 = exercises()[SLUG]
ONE = HEAD + "def test_one():\n    "
CATCHES = (
    "assert causal_mask(3).tolist() == [[True, False, False], [True, True, False], [True] * 3]"
)


def one(body: str) -> str:
    return ONE + body.replace("\n", "\n    ") + "\n"


# -- what is refused, and what is caught


def test_right_answers_are_the_reference_and_the_accepted_ones() -> None:
    names = [each.name for each in right_answers(EX05)]

    assert names[0] == REFERENCE
    assert set(names[1:]) == {path.stem for path in EX05.accepted.glob("*.py")}
    assert len(names) > 6


def test_the_examples_of_the_docstrings_refuse_nothing_and_miss_half() -> None:
    found = judged(NAIVE, 3)

    assert {each.state for each in found.tests} == {TestState.COUNTS}
    assert all(each.catches for each in found.tests)
    assert len(found.wrong) == len({each.slug for each in found.wrong}) > 150
    assert 0 < len(found.caught(3)) < len(found.wrong) / 2


def test_shapes_alone_catch_little() -> None:
    shapes, naive = judged(SHAPES, 3), judged(NAIVE, 3)

    assert 0 < len(shapes.caught(3)) < len(naive.caught(3))
    assert the_only(shapes).remark == ""


def test_good_tests_refuse_nothing_and_catch_more() -> None:
    found = judged(GOOD, 2)

    assert {each.state for each in found.tests} == {TestState.COUNTS}
    assert len(found.caught(2)) > len(judged(NAIVE, 3).caught(2))
    assert set(found.survivors(2)) | found.caught(2) == {each.slug for each in found.wrong}


def test_what_the_contract_leaves_free_may_not_be_asserted() -> None:
    found = judged(OVERSPECIFIED)
    strict, other = found.tests

    assert strict.state is TestState.REFUSES
    assert strict.catches == frozenset()
    assert found.mark == 0
    assert strict.refusals[0].answer == REFERENCE
    assert strict.refusals[0].error.splitlines() == [
        "assert masked[0, 1] == float('-inf')",
        "  masked[0, 1] is tensor(-3.4028e+38)",
        "  float('-inf') is -inf",
    ]
    assert strict.refusals[0].line == 9
    assert other.state is TestState.COUNTS
    assert other.catches


def test_lower_levels_are_judged_alone() -> None:
    found, whole = judged(NAIVE, 2), judged(NAIVE, 3)

    assert {each.level for each in found.wrong} == {1, 2}
    assert {each.level for each in whole.wrong} == {1, 2, 3}
    assert whole.caught(1) < found.caught(2) == whole.caught(2) < whole.caught(3)


def test_a_test_twice_adds_nothing() -> None:
    twice = NAIVE + "\n\ndef test_again():\n    test_padding()\n"

    assert dict(judged(NAIVE, 3).adds_nothing) == {}
    assert dict(judged(twice, 2).adds_nothing) == {
        **judged(NAIVE, 2).adds_nothing,
        "test_again": ("test_padding",),
    }


@pytest.mark.parametrize(
    "style",
    [
        f"from exercises.{SLUG} import *",
        f"from .{SLUG} import causal_mask",
        f"from exercises import {SLUG} as mine\ncausal_mask = mine.causal_mask",
        f"import exercises.{SLUG}\ncausal_mask = exercises.{SLUG}.causal_mask",
    ],
)
def test_every_way_to_import_gets_the_implementation(style: str) -> None:
    text = f"{style}\n\n\ndef test_one():\n    {CATCHES}\n"

    assert the_only(judged(text)).catches == the_only(judged(one(CATCHES))).catches != frozenset()


def test_an_earlier_exercise_is_the_reference() -> None:
    earlier = (
        "from exercises.ex04_scaled_attention import scaled_dot_product_attention as attention"
    )
    body = (
        "query = torch.randn(4, 6)\n"
        "output, _ = masked_attention(query, query, query)\n"
        "assert torch.allclose(output, attention(query, query, query)[0], atol=1e-5)"
    )

    found = the_only(judged(f"{earlier}\n{one(body)}"))

    assert found.state is TestState.COUNTS, found
    assert found.catches


def test_helpers_of_pytest_work() -> None:
    marked = "import pytest\n\n\n@pytest.mark.parametrize(('size', 'sum'), [(2, 3), (3, 6)])\n"
    text = HEAD + marked + "def test_one(size, sum):\n    assert causal_mask(size).sum() == sum\n"
    approx = one(
        "import pytest\nassert causal_mask(2).float().mean().item() == pytest.approx(0.75)"
    )

    assert the_only(judged(text)).state is TestState.COUNTS
    assert the_only(judged(text)).catches
    assert the_only(judged(approx)).catches


# -- tests that are not fine


def test_a_random_test_is_told_so() -> None:
    found = the_only(judged(one("assert torch.rand(()) < 0.5")))

    assert found.state is TestState.RANDOM
    assert found.catches == frozenset()
    assert "a seed would only hide that" in found.remark


def test_a_catch_has_to_happen_again() -> None:
    """Nothing depends on what is caught by chance."""
    rarely = "import os\nassert os.urandom(1)[0] or os.urandom(1)[0]"

    assert the_only(judged_anew(one(rarely))).catches == frozenset()


def test_a_slow_test_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judging, "IN_ALL", 0.2)
    found = the_only(judged(one("__import__('time').sleep(0.05)")))

    assert found.state is TestState.SLOW
    assert "0.2 s" in found.remark


def test_a_test_that_hangs_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judging, "SECONDS", 0.1)
    text = one("while True:\n    pass") + f"\n\ndef test_two():\n    {CATCHES}\n"
    hanging, other = judged(text).tests

    assert hanging.state is TestState.SLOW
    assert other.state is TestState.COUNTS
    assert other.catches


def test_what_hangs_on_a_wrong_answer_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judging, "SECONDS", 0.05)
    found = the_only(judged(one("while causal_mask(2)[0, 1]:\n    pass")))

    assert found.state is TestState.COUNTS
    assert "causal-leaks-one" in found.catches


def test_a_test_that_patches_torch_changes_nothing_for_others() -> None:
    usual = torch.softmax, torch.Tensor.masked_fill, torch.get_default_dtype()
    patches = (
        "torch.softmax = lambda *_, **__: 1 / 0\n"
        "torch.Tensor.masked_fill = None\n"
        "torch.set_default_dtype(torch.float64)\n"
        "torch.set_grad_enabled(False)"
    )
    alone = judged(NAIVE)
    text = NAIVE + f"\n\ndef test_z():\n    {patches}\n".replace("\ntorch.", "\n    torch.")
    beside = judged(text)

    assert [each.catches for each in beside.tests[:5]] == [each.catches for each in alone.tests]
    assert usual == (torch.softmax, torch.Tensor.masked_fill, torch.get_default_dtype())
    assert torch.is_grad_enabled()


def test_an_implementation_that_was_patched_is_itself_again() -> None:
    patch = (
        f"import exercises.{SLUG} as it\nit.causal_mask = None\nassert causal_mask(2) is not None"
    )
    before = the_only(judged(one(CATCHES))).catches

    judged_anew(one(patch))

    assert the_only(judged_anew(one(CATCHES))).catches == before


def test_prints_and_warnings_are_swallowed(capfd: pytest.CaptureFixture[str]) -> None:
    noisy = f"import warnings\nprint('hello')\nwarnings.warn('oh')\n{CATCHES}"

    found = the_only(judged(one(noisy)))

    assert found.state is TestState.COUNTS
    assert capfd.readouterr() == ("", "")


def test_a_test_that_asks_for_input_or_calls_what_is_not_there_is_broken() -> None:
    asks, found = the_only(judged(one("input()"))), the_only(judged(one("causal_masks(3)")))

    assert asks.state is found.state is TestState.BROKEN
    assert found.refusals[0].error == "NameError: name 'causal_masks' is not defined"
    assert found.refusals[0].line == 7


def test_what_only_pytest_can_run_is_told() -> None:
    heads = {
        "def test_one(tmp_path, monkeypatch):": "it takes `tmp_path`, `monkeypatch`",
        "async def test_one():": "it is `async`",
    }
    for head, told in heads.items():
        found = the_only(judged(f"{HEAD}{head}\n    {CATCHES}\n"))
        assert found.state is TestState.BROKEN
        assert found.remark.startswith(told)


def test_a_test_that_catches_nothing_or_is_skipped_counts_for_nothing() -> None:
    for body in ("pass", "import pytest\npytest.skip('later')"):
        found = judged(one(body))
        assert (the_only(found).state, found.caught(3)) == (TestState.COUNTS, frozenset()), body


def test_a_class_is_told_of() -> None:
    found = judged(f"{one(CATCHES)}\n\nclass TestMore:\n    def test_two(self):\n        pass\n")

    assert [each.name for each in found.tests] == ["test_one"]
    assert found.remarks == (
        "line 10: `TestMore` is a class; a test here is a function, so what is in it does not run",
    )


# -- files that are not fine


def test_a_stub_is_not_written() -> None:
    found = judged(proof_stub(EX05))

    assert {each.state for each in found.tests} == {TestState.NOT_WRITTEN}
    assert found.mark == 0


def test_a_file_that_is_not_python_or_imports_the_reference_is_refused() -> None:
    with pytest.raises(UnusableError, match=r"ex05_causal_masks.py:7 is not Python") as told:
        proof_of(one("assert causal_mask(3"))
    assert told.value.line == 7
    with pytest.raises(UnusableError, match="imports `solutions`"):
        proof_of(one(f"from solutions.{SLUG} import causal_mask as right"))


def test_a_file_without_tests_has_none_and_one_that_raises_is_told() -> None:
    found, raising = judged(HEAD), judged(f"{HEAD}raise OSError('no')\n{one(CATCHES)}")

    assert (found.tests, found.error) == ((), "")
    assert (raising.error, raising.line) == ("OSError: no", 6)


# -- what is left behind


def test_the_process_stays_as_it_was() -> None:
    torch.set_num_threads(2)
    modules = {name for name in sys.modules if name.split(".")[0] == "exercises"}
    state = random.getstate(), str(np.random.get_state()), torch.get_rng_state()
    try:
        judged_anew(NAIVE)

        assert torch.get_num_threads() == 2
        assert random.getstate() == state[0]
        assert str(np.random.get_state()) == state[1]
        assert torch.equal(torch.get_rng_state(), state[2])
        assert {name for name in sys.modules if name.split(".")[0] == "exercises"} == modules
    finally:
        torch.set_num_threads(1)


def test_the_same_text_has_the_same_verdict() -> None:
    """Although what leaks is seen by chance, wherever chance comes from."""
    drawn = ["torch.rand(9)[-1]", "random.random()", "numpy.random.rand()"] * 4
    tests = (
        f"def test_{at}():\n    assert not causal_mask(2)[0, 1] or {number} < {at / len(drawn)}\n"
        for at, number in enumerate(drawn)
    )
    text = "\n\n".join([f"import random\nimport numpy\n{HEAD}", *tests])

    first, again = judged_anew(text), judged_anew(text)

    assert first == again
    assert 0 < sum(bool(each.catches) for each in first.tests) < len(drawn)


def test_numpy_needs_no_torch_in_a_proof() -> None:
    tests = judging.judge(proof_of(FIRST, FIRST_SLUG)).tests

    assert {each.state for each in tests} == {TestState.COUNTS}
    assert all(each.catches for each in tests)


# -- the sentence of the contract


def test_the_sentence_of_the_contract_is_read() -> None:
    text = (
        '"""In another style.\n\nThe contract: "which value stands\nat a hidden key is free"\n"""\n'
    )

    assert because(text) == "which value stands at a hidden key is free"
    assert because('"""In another style."""\n') == ""
    assert because("x = 1\n") == ""


def test_a_refusal_tells_its_values() -> None:
    cases = {
        "assert causal_mask(1).sum() == 2, 'the sum'": "the sum\nassert causal_mask(1).sum() == 2",
        "a, b = torch.ones(1), 2 * torch.ones(1)\nassert torch.equal(a, b)": "b is tensor([2.])",
        "assert not causal_mask(1).any()": "assert not causal_mask(1).any()",
        "assert 1 < int(causal_mask(1).sum()) < 3": "assert 1 < int(causal_mask(1).sum()) < 3",
        "import pytest\npytest.fail('this one')": "this one",
        "import pytest\nwith pytest.raises(ValueError): causal_mask(1)": "DID NOT RAISE",
    }
    for body, told in cases.items():
        found = the_only(judged(one(body), 1))
        assert found.state is TestState.REFUSES
        assert told in found.refusals[0].error
        assert found.refusals[0].line == 6 + len(body.splitlines())


def test_values_are_those_that_were_compared() -> None:
    """Nothing is computed twice: a second random number would be another one."""
    body = "drawn = iter([3, 4])\nassert next(drawn) == causal_mask(1).sum()"

    assert "next(drawn) is 3" in the_only(judged(one(body), 1)).refusals[0].error


def test_switches_are_turned_only_if_that_changes_anything() -> None:
    """To say again that algorithms need not be deterministic imports torch._inductor: 1 s."""
    turned: list[object] = []

    turn(lambda: False, turned.append, False)
    turn(lambda: False, turned.append, True)

    assert turned == [True]
