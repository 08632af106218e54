"""Each function diagnosed by itself, and what each mistake accounts for."""

from collections.abc import Mapping
from functools import cache

import pytest

from kata.course.catalogue import bugs, changed, target_of
from kata.course.curriculum import Exercise, exercises
from kata.diagnosis.diagnose import diagnose, diagnose_each
from kata.diagnosis.observe import Finding, observe
from kata.terminal.message import headline
from kata.verdict import Diagnosis, Fit, State
from tests.helpers.answers import spelled, suspects

EX05 = exercises()["ex05_causal_masks"]
EX09 = exercises()["ex09_multi_head_attention"]
FORGOTTEN = "padding-too-long-accepted"
THREE = (FORGOTTEN, "scores-filled-with-a-tiny-number", "weights-not-renormalised")


def with_bugs(exercise: Exercise, *slugs: str) -> str:
    known = {each.slug: each for each in bugs(exercise)}
    return changed(exercise, *(known[each] for each in slugs))


@cache
def findings(exercise: Exercise, text: str) -> Mapping[str, Finding]:
    return observe(exercise, target_of(exercise, text)).findings


@cache
def each(exercise: Exercise, text: str) -> tuple[Diagnosis, ...]:
    return diagnose_each(exercise, findings(exercise, text), suspects(exercise.slug), text)


def slugs(found: tuple[Diagnosis, ...]) -> list[str]:
    return [mistake.slug for one in found for mistake in one.mistakes]


def failing(exercise: Exercise, text: str) -> set[str]:
    judged = {State.FAILED, State.ERROR}
    return {
        claim for claim, found in findings(exercise, text).items() if found.verdict.state in judged
    }


@pytest.mark.parametrize(
    "planted",
    [
        THREE,
        (FORGOTTEN, "scores-inverted", "weights-not-renormalised"),
        (FORGOTTEN, "attention-mask-added"),
        ("causal-transposed", "padding-one-too-many", "scores-inverted", "weights-inverted"),
    ],
    ids=len,
)
def test_the_mistake_of_each_function_is_named(planted: tuple[str, ...]) -> None:
    assert sorted(slugs(each(EX05, with_bugs(EX05, *planted)))) == sorted(planted)


def test_the_dearest_is_first_and_every_claim_counts_once() -> None:
    text = with_bugs(EX05, *THREE)
    found = each(EX05, text)
    explained = [name for one in found for name in one.explains]

    assert slugs(found) == [THREE[1], THREE[2], THREE[0]]
    assert [len(one.explains) for one in found] == sorted(
        (len(one.explains) for one in found), reverse=True
    )
    assert len(explained) == len(set(explained))
    assert set(explained) == failing(EX05, text)


def test_a_mistake_in_one_function_explains_the_one_that_calls_it() -> None:
    """masked_attention calls mask_scores: its claims are no second mistake."""
    (found,) = each(EX05, with_bugs(EX05, "scores-inverted"))

    assert set(found.explains) == failing(EX05, with_bugs(EX05, "scores-inverted"))


def test_a_learner_is_told_of_one_thing_and_how_much_else_fails() -> None:
    text = with_bugs(EX05, *THREE)
    found = diagnose(EX05, findings(EX05, text), suspects(EX05.slug), text)

    assert found
    assert slugs((found,)) == [*THREE[1:]]
    assert found.explains == ()
    count = len(failing(EX05, text))
    assert f"together explain {count - 1} of the {count} claims that fail" in headline(found)


def test_one_other_is_no_plural() -> None:
    text = with_bugs(EX05, FORGOTTEN, "weights-cut-off")
    told = [headline(found) for found in each(EX05, text)]

    assert len(told) == 2
    assert all("; 1 other fails, too: " in one for one in told)


def test_of_two_mistakes_in_one_function_each_has_its_claims() -> None:
    first, second = each(EX09, with_bugs(EX09, "no-scale", "width-not-checked"))

    assert slugs((first, second)) == ["no-scale", "width-not-checked"]
    assert (first.fit, second.fit) == (Fit.NEAR, Fit.ONE)
    assert second.explains
    assert not set(first.explains) & set(second.explains)


def test_a_function_that_is_fed_by_a_broken_one_gets_no_vague_name() -> None:
    """What it fails by is most likely the other one's doing."""
    broken = {
        "mask_scores": "scores.masked_fill(~mask, -1e4)",
        "padding_mask": "return lengths > 7",
    }
    found = each(EX05, spelled(EX05.slug, broken))

    assert all(one.about != "masked_attention" for one in found)


def test_where_all_is_right_or_nothing_is_known_nothing_is_named() -> None:
    assert each(EX05, EX05.solution.read_text(encoding="utf-8")) == ()
    assert each(EX05, "\n") == ()


def test_the_whole_is_named_once_where_one_mistake_explains_it() -> None:
    found = each(EX05, with_bugs(EX05, "attention-not-scaled"))

    assert slugs(found) == ["attention-not-scaled"]
    assert found[0].about == ""
    assert found[0].others == 0
