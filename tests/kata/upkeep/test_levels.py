"""Level 1 of each exercise is there, and its gates can fail."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from kata.course.catalogue import bugs
from kata.course.curriculum import exercises
from kata.upkeep import levels as gates
from kata.upkeep import levels as propose
from kata.upkeep import levels as traps
from kata.upkeep import right_answers
from kata.upkeep.levels import examples_are_not_enough, level_1_is_real, level_1_is_whole
from kata.upkeep.right_answers import right_answers_quote_their_contract

MASKS = exercises()["ex05_causal_masks"]


@pytest.fixture
def marked(monkeypatch: pytest.MonkeyPatch) -> Callable[[set[str]], None]:
    """Marks exactly these wrong answers of exercise 05 as level 1."""

    def mark(slugs: set[str]) -> None:
        found = tuple(replace(bug, level=int(bug.slug in slugs)) for bug in bugs(MASKS))
        assert slugs <= {bug.slug for bug in found}
        for module in (traps, gates):
            monkeypatch.setattr(module, "bugs", lambda _: found)

    return mark


LEVEL_1 = {bug.slug for bug in bugs(MASKS) if bug.level}


def test_too_few_are_noticed(marked) -> None:
    marked(LEVEL_1 - set(sorted(LEVEL_1)[:5]))

    assert "7 wrong answers are of level 1, not 8 to 12" in list(level_1_is_whole(MASKS))


def test_a_function_without_any_is_noticed(marked) -> None:
    marked({slug for slug in LEVEL_1 if not slug.startswith("causal")})

    assert list(level_1_is_whole(MASKS)) == ["no wrong answer of level 1 is about causal_mask"]


def test_two_that_the_same_claims_catch_are_noticed(marked) -> None:
    marked(LEVEL_1 - {"attention-empty-row-nan"} | {"attention-multiplied"})

    told = "attention-not-scaled and attention-multiplied are both of level 1, and the same"
    assert [each.startswith(told) for each in level_1_is_whole(MASKS)] == [True]


def test_those_that_nobody_met_are_noticed(marked) -> None:
    invented = sorted(bug.slug for bug in bugs(MASKS) if not bug.is_real)
    marked({*invented[:6], *sorted(LEVEL_1)[:3]})

    (complaint,) = level_1_is_real(MASKS)
    assert complaint.endswith("of 9 wrong answers of level 1 happened to somebody")


def test_those_that_the_examples_catch_are_noticed(marked) -> None:
    marked({"causal-transposed", "scores-fill-dropped", "weights-inverted", "attention-not-scaled"})

    (complaint,) = examples_are_not_enough(MASKS)
    assert "catch half of level 1 or more, 3 of 4: causal-transposed, scores-fill-" in complaint


def test_an_exercise_without_level_1_is_let_through(marked) -> None:
    marked(set())

    for gate in (level_1_is_whole, level_1_is_real, examples_are_not_enough):
        assert list(gate(MASKS)) == []


def test_a_right_answer_quotes_its_contract(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer = tmp_path / "mine.py"
    monkeypatch.setattr(right_answers, "accepted", lambda _: [answer])
    complaints = {
        "Additive.": "does not end with the line",
        'Additive.\n\nThe contract: "None hides everything."': "this does not stand in ex05",
        'Additive.\n\nThe contract: "None hides\nnothing."': "",
        'Additive.\n\nThe contract: "None hides nothing."\n\nAnd more.': "does not end with",
    }
    for docstring, complaint in complaints.items():
        answer.write_text(f'"""{docstring}\n"""\n', encoding="utf-8")
        told = list(right_answers_quote_their_contract(MASKS))
        assert len(told) == bool(complaint), docstring
        assert all(complaint in each for each in told)


def test_what_is_proposed_keeps_the_promises(marked) -> None:
    marked({bug.slug for bug in propose.proposed(MASKS)})

    assert list(level_1_is_whole(MASKS)) == []
    assert list(level_1_is_real(MASKS)) == []


def test_a_helper_concerns_those_that_use_it() -> None:
    """A wrong answer that changes nothing but an import is about the function that uses it."""
    exercise = exercises()["ex02_attention_scores"]
    for bug in bugs(exercise):
        assert traps.concerns(exercise, bug) <= set(traps.contract_names(exercise))
    assert all(traps.concerns(exercise, bug) for bug in traps.level_1(exercise))


def test_some_claim_of_the_suite_catches_each_wrong_answer_of_exercise_05() -> None:
    """By the records; tests/long runs the claims themselves as a proof."""
    missed = [bug.slug for bug in bugs(MASKS) if not traps.kills(MASKS, bug)]

    assert missed == []
