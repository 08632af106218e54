"""Claims on a GPU that gives up, played on a machine that may have none."""

from typing import Any

import pytest

from kata.course.catalogue import target_of
from kata.course.curriculum import exercises
from kata.diagnosis.evidence import crash
from kata.diagnosis.observe import finding
from kata.judging import judge as gpu
from kata.judging.attempt import Attempt
from kata.judging.case import Call, Case, Comparison, current
from kata.judging.judge import GPU_LOST, Claim, case_of, check
from kata.verdict import State

EX04 = exercises()["ex04_scaled_attention"]
RAISES = """
def scaled_dot_product_attention(query, key, value):
    return (_ for _ in ()).throw(RuntimeError("CUDA error: device-side assert triggered"))
"""


class Unreadable:
    """An array on a GPU that has given up."""

    def __getattr__(self, name: str) -> Any:
        raise RuntimeError("CUDA error: device-side assert triggered")


class OnGpu:
    """A tensor on a GPU that answers."""

    is_cuda = True

    def detach(self) -> "OnGpu":
        return self

    def cpu(self) -> str:
        return "here"


class PlayedGpu:
    """A GPU that is there, until a claim makes it give up."""

    given_up = False

    def claim(self, submission: Any) -> None:
        """Call the exercise with arrays that can no longer be read when it has raised."""
        import torch

        try:
            submission.scaled_dot_product_attention(*torch.ones(3, 2, 2))
        finally:
            self.given_up = True
            for event in current().events:
                event.before = event.after = (Unreadable(),) * 3


@pytest.fixture
def played(monkeypatch: pytest.MonkeyPatch) -> PlayedGpu:
    """A GPU of which only the claim of this test knows."""
    found = PlayedGpu()
    monkeypatch.setattr(gpu, "is_missing", lambda: False)
    monkeypatch.setattr(gpu, "is_lost", lambda: found.given_up)
    return found


def test_an_index_out_of_range_is_told_with_its_line_and_its_cause(played: PlayedGpu) -> None:
    attempt, claim = Attempt(EX04, target_of(EX04, RAISES)), claim_of(played)
    case = case_of(claim, EX04)

    verdict = check(claim, attempt, case)

    assert (verdict.state, verdict.message.inputs) == (State.FAILED, "")
    assert verdict.message.evidence.startswith("RuntimeError: CUDA error: device-side assert")
    assert verdict.message.line == RAISES[: RAISES.index("return")].count("\n") + 1
    assert crash(finding(verdict, case)).mistakes[0].slug == "index-on-the-gpu"


def test_after_it_no_claim_on_the_gpu_is_judged_and_none_blames_the_learner(
    played: PlayedGpu,
) -> None:
    attempt = Attempt(EX04, target_of(EX04, EX04.solution.read_text(encoding="utf-8")))
    check(claim_of(played), attempt)

    later = check(claim_of(played), attempt)

    assert (later.state, later.message.claim) == (State.SKIPPED, GPU_LOST)


def test_what_a_claim_has_seen_is_read_before_a_later_one_takes_the_gpu_along(
    played: PlayedGpu,
) -> None:
    assert not played.given_up
    case = Case("test_it", "torch", "cuda", compared=Comparison(OnGpu(), "weights"))
    case.events.append(Call("f", ("x", "y"), (OnGpu(), 3), ([OnGpu()], 3), {"w": OnGpu()}))

    gpu.leave(case)

    assert case.events == [Call("f", ("x", "y"), ("here", 3), (["here"], 3), {"w": "here"})]
    assert case.compared == Comparison("here", "weights")


def test_claims_on_the_cpu_ask_no_gpu(played: PlayedGpu) -> None:
    played.given_up = True
    claim = Claim("test_nothing", lambda: None, "", 1, (), "cpu")

    assert check(claim, Attempt(EX04, target_of(EX04, RAISES))).state is State.PASSED


def claim_of(played: PlayedGpu) -> Claim:
    return Claim("test_it", played.claim, "", 1, ("submission",), "cuda")
