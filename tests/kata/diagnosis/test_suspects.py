"""What need not be asked of a wrong answer."""

import pytest

from kata.course.catalogue import bugs, wrong_answer
from kata.course.curriculum import exercises
from kata.diagnosis.observe import find
from kata.diagnosis.suspects import Suspect, Suspects
from kata.judging.judge import suite

EX05 = exercises()["ex05_causal_masks"]


def suspect(slug: str) -> Suspect:
    bug = next(each for each in bugs(EX05) if each.slug == slug)
    return Suspect(EX05, wrong_answer(EX05, bug), bug)


@pytest.mark.parametrize(
    ("slug", "concerned"),
    [
        ("padding-marks-the-padding", {"padding_mask"}),
        ("scores-inverted", {"mask_scores", "masked_attention"}),
        ("attention-not-scaled", {"masked_attention"}),
    ],
)
def test_a_mistake_concerns_the_functions_that_use_it(slug: str, concerned: set[str]) -> None:
    wrong, last = suspect(slug), suite(EX05)[-1]
    names = ["causal_mask", "padding_mask", "mask_scores", "mask_weights", "masked_attention"]

    assert {name for name in names if not wrong.surely_holds(last, {name})} == concerned
    assert not wrong.surely_holds(last, set())


@pytest.mark.parametrize("slug", ["scores-inverted", "causal-transposed", "weights-complement"])
def test_what_surely_holds_holds(slug: str) -> None:
    wrong, reference = suspect(slug), Suspects(EX05).reference
    claims = [claim for claim in suite(EX05) if claim.device != "cuda"]
    skipped = [
        claim for claim in claims if wrong.surely_holds(claim, reference.finding(claim).called)
    ]

    assert len(skipped) > 10
    assert all(find(claim, wrong._attempt).verdict.held for claim in skipped)
