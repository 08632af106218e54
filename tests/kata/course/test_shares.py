"""What each claim is worth: by function, and more for the idea than for the fine print."""

import pytest

from kata.course.catalogue import shares
from kata.course.curriculum import Exercise, exercises
from kata.course.suite_code import Group, about, groups

MASKS = next(each for each in exercises().values() if each.short == "ex05")


def of_functions(exercise: Exercise) -> dict[str, float]:
    found: dict[str, float] = {}
    for claim, share in shares(exercise).items():
        name = about(exercise, claim.partition("[")[0])
        found[name] = found.get(name, 0.0) + share
    return found


@pytest.mark.parametrize("exercise", exercises().values(), ids=lambda each: each.short)
def test_all_claims_together_are_worth_the_whole(exercise: Exercise) -> None:
    assert sum(shares(exercise).values()) == pytest.approx(1)
    assert min(shares(exercise).values()) > 0
    assert not [each for each in shares(exercise) if each.endswith("[cuda]")]


def test_functions_have_the_shares_of_the_curriculum() -> None:
    whole = sum(MASKS.shares.values())

    assert of_functions(MASKS) == {
        name: pytest.approx(weight / whole) for name, weight in MASKS.shares.items()
    }


def test_a_class_has_a_share_for_each_method_where_nothing_is_said() -> None:
    third = next(each for each in exercises().values() if each.short == "ex03")

    assert not third.shares
    assert of_functions(third) == {
        "self_attention": pytest.approx(1 / 3),
        "SelfAttention": pytest.approx(2 / 3),
    }


def test_the_idea_of_a_function_is_worth_two_thirds_of_it() -> None:
    of_the_idea = {
        claim: share
        for claim, share in shares(MASKS).items()
        if groups(MASKS)[claim.partition("[")[0]] is Group.IDEA
    }

    assert sum(of_the_idea.values()) == pytest.approx(2 / 3)
