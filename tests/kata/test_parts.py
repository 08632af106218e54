"""Target, catalogue, verdicts, likeness: each alone."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from kata.course.catalogue import CatalogueError, bugs, wrong_answer
from kata.course.curriculum import EXERCISES, Exercise, exercises
from kata.course.same_program import tree
from kata.course.source import UnusableError, contract
from kata.course.target import Target, reference
from kata.diagnosis.trace import CallSeen, same_sights
from kata.diagnosis.trace import sights as seen
from kata.inside.exceptions import raised
from kata.judging.attempt import LearnerError
from kata.judging.case import Call
from kata.judging.judge import judge
from kata.verdict import (
    ClaimVerdict,
    ExerciseVerdict,
    Message,
    Picture,
    State,
    claim_from_dict,
    claim_to_dict,
)

EX01 = exercises()["ex01_softmax"]


def test_a_bug_that_fits_nowhere_says_so() -> None:
    bug = replace(bugs(EX01)[0], change=(("no such line", ""),))

    with pytest.raises(CatalogueError, match="no-exp: stands 0 times in the solution"):
        wrong_answer(EX01, bug)


def test_a_bug_with_an_unknown_field_says_so(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "ex01_softmax.toml").write_text('[[bug]]\nslug = "a"\ncolour = "red"\n')
    monkeypatch.setattr("kata.course.curriculum.BUGS", tmp_path)

    with pytest.raises(CatalogueError, match=r"ex01_softmax\.toml: a: .*colour"):
        bugs.__wrapped__(EX01)


def test_a_wrong_answer_differs_from_the_solution_where_it_says() -> None:
    bug = bugs(EX01)[0]
    text = wrong_answer(EX01, bug)

    assert all(replacement in text for _, replacement in bug.change)


def test_a_target_refuses_what_an_exercise_does_not_need(tmp_path: Path) -> None:
    (tmp_path / "ex01_softmax.py").write_text("from .ex05_causal_masks import causal_mask\n")

    with pytest.raises(UnusableError, match=r"imports `\.ex05_causal_masks`; ex01 may import no"):
        Target(tmp_path).module("ex01_softmax")


def test_ones_own_file_serves_only_if_it_is_trusted(tmp_path: Path) -> None:
    (tmp_path / "ex01_softmax.py").write_text("softmax = 'mine'\n")
    text = "from .ex01_softmax import softmax\n"
    (tmp_path / "ex02_attention_scores.py").write_text(text)

    trusting = Target(tmp_path, trusts=lambda _: True)
    careful = Target(tmp_path)

    assert trusting.module("ex02_attention_scores").softmax == "mine"
    assert trusting.stand_ins("ex02_attention_scores") == ()
    assert callable(careful.module("ex02_attention_scores").softmax)
    assert careful.stand_ins("ex02_attention_scores") == ("ex01_softmax",)


def test_two_targets_do_not_share_modules(tmp_path: Path) -> None:
    (tmp_path / "ex01_softmax.py").write_text("softmax = []\n")

    one, other = Target(tmp_path), Target(tmp_path)

    assert one.module("ex01_softmax").softmax is not other.module("ex01_softmax").softmax


def test_a_digest_changes_with_the_text(tmp_path: Path) -> None:
    path = tmp_path / "ex01_softmax.py"
    path.write_text("a = 1\n")
    before = Target(tmp_path).digest("ex01_softmax")
    path.write_text("a = 2\n")

    assert Target(tmp_path).digest("ex01_softmax") != before
    assert Target(tmp_path).digest("ex02_attention_scores") == ""


@pytest.mark.parametrize("exercise", exercises().values(), ids=lambda exercise: exercise.short)
def test_the_reference_passes_without_pytest(exercise: Exercise) -> None:
    verdict = judge(exercise, reference())

    assert verdict.state is State.PASSED
    assert verdict.stand_ins == ()


@pytest.mark.parametrize("exercise", exercises().values(), ids=lambda exercise: exercise.short)
def test_a_stub_can_be_imported(exercise: Exercise) -> None:
    module = Target(EXERCISES).module(exercise.slug)

    assert set(contract(exercise).names) <= set(vars(module))


def test_a_verdict_crosses_a_process_border_unharmed() -> None:
    picture = Picture([[1.0]], [[2.0]], [[True]], "[0]")
    message = Message("claim", "inputs", "evidence", "cause", picture, ["frame"])
    verdict = ClaimVerdict("test_a[cpu]", State.FAILED, message, 0.5, "cpu")

    data = claim_to_dict(verdict)

    assert type(data["state"]) is str  # a border may know nothing but plain types
    assert claim_from_dict(json.loads(json.dumps(data))) == verdict


@pytest.mark.parametrize(
    ("states", "state"),
    [
        ([], State.NOT_STARTED),
        ([State.NOT_STARTED], State.NOT_STARTED),
        ([State.PASSED, State.SKIPPED], State.PASSED),
        ([State.PASSED, State.NOT_STARTED], State.FAILED),
        ([State.ERROR, State.BLOCKED], State.ERROR),
        ([State.TIMED_OUT, State.BLOCKED], State.TIMED_OUT),
        ([State.PASSED, State.TIMED_OUT], State.FAILED),
    ],
)
def test_an_exercise_stands_as_its_claims_do(states: list[State], state: State) -> None:
    claims = tuple(ClaimVerdict(f"test_{i}", each) for i, each in enumerate(states))

    assert ExerciseVerdict("ex01_softmax", claims).state is state


def test_claims_that_were_not_run_are_not_held() -> None:
    verdict = ExerciseVerdict("ex01_softmax", (ClaimVerdict("a", State.PASSED),), not_run=1)

    assert verdict.state is State.SKIPPED


def test_renaming_and_comments_do_not_make_another_program() -> None:
    one = 'def f(x):\n    """Doc."""\n    return x + 1  # why\n'

    assert tree(one) == tree("def f(value: int) -> int:\n    return value + 1\n")
    assert tree(one) != tree("def f(x):\n    return 1 + x\n")


def sights(outcome: object, after: object = 1) -> list[CallSeen]:
    return seen([Call("f", ("x",), (1,), (after,), outcome)])


def test_what_a_suite_sees_is_compared_by_value() -> None:
    error = LearnerError(raised(ValueError("a")), ["a frame"])

    assert same_sights(sights(np.ones(2)), sights(np.ones(2) + 1e-9))
    assert not same_sights(sights(np.ones(2)), sights(np.ones(2) + 1e-3))
    assert not same_sights(sights(np.ones(2)), sights(np.ones(2, dtype="float32")))
    assert not same_sights(sights(0.5), sights(0.5, after=2))
    assert not same_sights(sights(0.5), [])
    assert same_sights(sights(error), sights(LearnerError(raised(ValueError("a")), [])))
    assert not same_sights(sights(error), sights(LearnerError(raised(KeyError("a")), [])))
