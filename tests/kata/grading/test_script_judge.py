"""All questions in one message: the same verdicts, and nothing that a submission could use."""

import ast
import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

import numpy as np
import pytest

from kata.course.catalogue import bugs, wrong_answer
from kata.course.curriculum import Exercise, exercises
from kata.course.target import SUBMISSION, Target
from kata.grading import sandbox
from kata.grading.collecting.submissions import Submission
from kata.grading.options import Options
from kata.judging import case
from kata.upkeep.faces import accepted
from kata.verdict import State
from tests.helpers.grader import lent_judge
from tests.helpers.later import Later

if TYPE_CHECKING:  # they import torch
    from kata.grading.judge import Judge
    from kata.grading.script_judge import Findings

judging = Later("kata.grading.judge")
script_judge = Later("kata.grading.script_judge")
session, wire = Later("kata.inside.session"), Later("kata.inside.wire")
SLUGS = ("ex01_softmax", "ex05_causal_masks", "ex12_layer_norm")
EX01, EX05, EX12 = (exercises()[slug] for slug in SLUGS)
SEED, LONG = 3, 600

pytestmark = pytest.mark.skipif(bool(sandbox.missing()), reason="not all promises can be kept here")


@pytest.fixture(scope="module")
def graded() -> "Iterator[Judge]":
    """A judge of a graded run."""
    yield lent_judge(Options(SLUGS, dict.fromkeys(SLUGS, 1.0), SEED, diagnosis=False))
    case.begin_run(0)


def handed_in(**texts: str) -> Submission:
    """What one student has handed in, by short names."""
    slugs = {exercises()[slug].short: slug for slug in SLUGS}
    return Submission("ann", {slugs[short]: text.encode() for short, text in texts.items()})


def all_right(note: str, **more: str) -> Submission:
    """Three right files that no other test hands in, with more lines in some of them."""
    texts = {each.short: f"{each.solution.read_text()}# {note}\n" for each in (EX01, EX05, EX12)}
    return handed_in(**{short: text + more.get(short, "") for short, text in texts.items()})


def observed(judge: "Judge", slug: str, text: str, *, scripted: bool) -> "Findings":
    """All claims on this text, by script or one by one."""
    exercise, target = exercises()[slug], Target(SUBMISSION, {slug: text})
    judge.prepare(target, [exercise])
    with ExitStack() as live:
        if not scripted:
            live.enter_context(patch.object(judge._by_script, "findings", lambda *_: None))
        return judge.observed(exercise, target, time.monotonic() + LONG).findings


def told(findings: "Findings") -> list[tuple[str, State, str]]:
    """Everything that a report says of them, as text: NaN is not equal to itself."""
    verdicts = (each.verdict for each in findings.values())
    return [(each.name, each.state, repr(each.message)) for each in verdicts]


def told_both_ways(judge: "Judge", slug: str, text: str) -> list[tuple[str, State, str]]:
    """What is told of it one by one, which is what is told of it by script."""
    by_one = told(observed(judge, slug, text, scripted=False))
    assert told(observed(judge, slug, text, scripted=True)) == by_one, text
    return by_one


def answers(slug: str, right: int, step: int) -> list[str]:
    """The solution, so many other right answers, and of the mistakes one in so many."""
    exercise = exercises()[slug]
    others = [path.read_text() for path in accepted(exercise)[:right]]
    wrong = [wrong_answer(exercise, bug) for bug in bugs(exercise)[::step]]
    return [exercise.solution.read_text(), *others, *wrong]


ODD = {  # bodies of softmax, and what is told of a claim
    "import os\n    os._exit(0)": "the process of the submission ended in the middle",
    "return np.zeros((300, 100))": "earlier results of this exercise take more than 1 MiB",
    "raise ValueError('no')": "ValueError: no",
    "raise SystemExit(3)": "SystemExit: 3",
    "yield scores": "returned a generator, expected a numpy array",
}


def test_the_verdicts_are_those_of_one_question_after_the_other(graded: "Judge") -> None:
    """Of a few answers; tests/system tries more, to more exercises."""
    for text in answers(EX12.slug, right=1, step=60):
        told_both_ways(graded, EX12.slug, text)


def softmax(body: str) -> str:
    return f"import numpy as np\n\ndef softmax(scores, axis=-1):\n    {body}\n"


@pytest.mark.parametrize("body", ODD)
def test_what_does_not_go_the_usual_way_is_asked_one_by_one(
    graded: "Judge", monkeypatch: pytest.MonkeyPatch, body: str
) -> None:
    monkeypatch.setattr("kata.grading.remote.LARGEST_ANSWERS", 2**20)

    assert ODD[body] in str(told_both_ways(graded, EX01.slug, softmax(body)))


def test_what_hangs_is_asked_one_by_one(graded: "Judge", monkeypatch: pytest.MonkeyPatch) -> None:
    text = softmax("while True:\n        pass")
    monkeypatch.setattr(graded, "options", replace(graded.options, timeout=0.3))
    monkeypatch.setattr(graded._by_script, "_limit", 0.3)  # it was set at the start

    states = {state for _, state, _ in told_both_ways(graded, EX01.slug, text)}

    assert State.TIMED_OUT in states


@pytest.mark.parametrize("text", ["1 / 0", "raise NotImplementedError", "from .ex09 import x"])
def test_a_file_that_cannot_be_loaded(graded: "Judge", text: str) -> None:
    told_both_ways(graded, EX05.slug, f"{text}\n{EX05.solution.read_text()}")


def test_the_file_before_it_does_not_answer_for_one_that_cannot_be_loaded(graded: "Judge") -> None:
    right, broken = EX01.solution.read_text(), f"1 / 0\n{EX05.solution.read_text()}"
    verdict = graded.grade(handed_in(ex01=right, ex05=broken))

    assert [each.state for each in verdict.exercises[:2]] == [State.PASSED, State.ERROR]


def starts(graded: "Judge", submission: Submission) -> int:
    """How many workers it takes to judge this."""
    count = 0
    start = graded.workers.start

    def counted(*sockets: object) -> None:
        nonlocal count
        count += 1
        start(*sockets)  # type: ignore[arg-type]  # whatever they are

    with patch.object(graded.workers, "start", counted):
        graded.grade(submission)
    return count


def test_right_files_of_one_student_share_a_worker(graded: "Judge") -> None:
    assert starts(graded, all_right("sharing")) == 1


def test_a_file_that_is_not_right_gives_its_worker_to_nobody(graded: "Judge") -> None:
    wrong = "def causal_mask(size, device=None):\n    return None\n"

    # One for the first two, one for the second alone, one for the third.
    assert starts(graded, all_right("alone", ex05=wrong)) == 3


def test_what_an_earlier_file_has_done_costs_no_mark(graded: "Judge") -> None:
    harm = "\nimport torch\ntorch.set_default_dtype(torch.float64)\ntorch.ones = None\n"
    verdict = graded.grade(all_right("after", ex01=harm))

    assert [each.state for each in verdict.exercises] == [State.PASSED] * 3


@pytest.mark.parametrize("line", [
    "SEEN = []", "TABLE: dict = {}", "def f(x, seen=[]): pass", "def f():\n    f.seen = 1",
    "@functools.cache\ndef f(x): pass", "class A:\n    seen = set()",
    "class A: pass\nA.seen = 1", "def f():\n    global x",
])  # fmt: skip
def test_what_may_know_of_earlier_calls_is_asked_one_by_one(line: str) -> None:
    assert script_judge.may_keep_state(ast.parse(line))


def test_no_solution_may_keep_state() -> None:
    trees = {slug: ast.parse(each.solution.read_text()) for slug, each in exercises().items()}

    assert [slug for slug, tree in trees.items() if script_judge.may_keep_state(tree)] == []


def test_equal_files_are_judged_once(graded: "Judge") -> None:
    text = f"{EX05.solution.read_text()}# once\n"

    assert starts(graded, handed_in(ex05=text)) == 1
    assert starts(graded, handed_in(ex05=text)) == 0
    assert starts(graded, handed_in(ex05=f"{text}#\n")) == 1


def test_equal_answers_are_judged_once(graded: "Judge") -> None:
    text = EX12.solution.read_text()
    first = observed(graded, EX12.slug, f"{text}# first\n", scripted=True)
    with patch("kata.grading.script_judge.judged", side_effect=AssertionError):
        second = observed(graded, EX12.slug, f"{text}# second\n", scripted=True)

    assert told(second) == told(first)


def test_a_kept_verdict_still_knows_what_its_claim_saw(graded: "Judge") -> None:
    text = EX12.solution.read_text()
    first = observed(graded, EX12.slug, f"{text}# third\n", scripted=True)
    second = observed(graded, EX12.slug, f"{text}# fourth\n", scripted=True)
    one_by_one = observed(graded, EX12.slug, text, scripted=False)

    for claim, finding in one_by_one.items():
        assert second[claim].looks_like(finding)
        assert first[claim].called == second[claim].called == finding.called


def script_about(judge: "Judge", exercise: Exercise) -> Any:
    """The script that a worker gets."""
    observed(judge, exercise.slug, exercise.solution.read_text(), scripted=True)
    return session.script(judge._by_script._scripts[exercise.slug].data[wire.LENGTH.size :])


def test_a_script_does_not_tell_which_calls_ought_to_raise(graded: "Judge") -> None:
    """Every call is made, whatever those before it have raised, and none says what it is for."""
    requests = script_about(graded, EX05)
    names = [claim.id for claim in judging.claims(EX05)]
    claim = names.index("test_a_length_above_the_size_is_an_error")

    orders = [order for _, orders in requests[claim] for order, _ in orders]

    assert len(orders) > 1
    assert {name for name, *_ in orders} == {"call"}
    assert {len(order) for order in orders} == {len(orders[0])}


def test_a_script_has_no_number_that_a_claim_expects(graded: "Judge") -> None:
    """Only arguments are in it: not the weights that a softmax of them would be."""
    given = [array for claim in script_about(graded, EX01) for _, orders in claim
             for _, arrays in orders for array in arrays]  # fmt: skip
    names = {"__name__": "reference"}
    exec(EX01.solution.read_text(), names)  # the project's own solution
    with np.errstate(all="ignore"):
        right = {names["softmax"](each).tobytes() for each in given if each.size > 2}  # type: ignore[operator]

    assert right
    assert not right & {each.tobytes() for each in given}
