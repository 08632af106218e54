"""Results in another form: one claim fails by it, and the others are judged on what came back."""

import pytest

from kata.course.catalogue import bugs, target_of, wrong_answer
from kata.course.curriculum import Exercise, exercises
from kata.judging.attempt import Attempt
from kata.judging.judge import check, suite
from kata.verdict import ClaimVerdict, State

BY_SHORT = {each.short: each for each in exercises().values()}


def judged(short: str, *changes: tuple[str, str]) -> dict[str, ClaimVerdict]:
    """The verdicts on the solution with these changes, by the names of claims."""
    exercise = BY_SHORT[short]
    text = exercise.solution.read_text(encoding="utf-8")
    for before, after in changes:
        assert before in text
        text = text.replace(before, after)
    return of_text(exercise, text)


def of_text(exercise: Exercise, text: str) -> dict[str, ClaimVerdict]:
    attempt = Attempt(exercise, target_of(exercise, text))
    claims = [each for each in suite(exercise) if each.device != "cuda"]
    return {each.name.removeprefix("test_"): check(each, attempt) for each in claims}


def failing(found: dict[str, ClaimVerdict]) -> list[str]:
    return [name for name, each in found.items() if each.state is not State.PASSED]


def test_a_list_of_numbers_fails_the_first_claim_and_those_about_a_dtype() -> None:
    result = "powers / powers.sum(axis=axis, keepdims=True)"
    found = judged("ex01", (result, f"({result}).tolist()"))

    first, *others = failing(found)
    assert first == "one_row_gets_the_weights_worked_out_by_hand"
    assert others == ["float32_stays_float32", "large_scores_do_not_overflow_in_float32"]


def test_zeros_and_ones_for_a_mask_fail_the_first_claim_about_it() -> None:
    exercise = BY_SHORT["ex05"]
    known = {each.slug: each for each in bugs(exercise)}
    found = of_text(exercise, wrong_answer(exercise, known["padding-of-integers"]))

    assert failing(found) == ["padding_mask_shows_the_first_tokens_of_each_sample"]


LAST = "    return weights @ value, weights  # (..., T, Dv)"


def test_an_output_alone_is_known_to_be_right() -> None:
    found = judged("ex04", (LAST, "    return weights @ value"))

    told = found["each_sample_attends_to_its_own_keys"].message
    assert told is not None
    assert told.rest_right
    assert told.evidence.startswith("returned a torch tensor of shape")


def test_a_wrong_output_alone_is_told_by_its_values() -> None:
    found = judged("ex04", (LAST, "    return 2 * (weights @ value)"))

    told = found["each_sample_attends_to_its_own_keys"].message
    assert told is not None
    assert not told.rest_right
    assert "values of output differ" in told.evidence


def test_weights_that_are_none_are_missing_weights() -> None:
    found = judged("ex04", (LAST, "    return weights @ value, None"))

    told = found["each_sample_attends_to_its_own_keys"].message
    assert told is not None
    assert told.rest_right
    assert told.evidence == "weights is None, expected a torch tensor"


@pytest.mark.parametrize("instead", ["None", "'text'", "(1, 2, 3)", "object()"])
def test_what_is_no_other_form_of_the_result_fails_as_before(instead: str) -> None:
    found = judged("ex04", (LAST, f"    return {instead}"))

    assert len(failing(found)) == len(found)
    assert not any(each.message.rest_right for each in found.values() if each.message)
