"""What a mark is: points by function, less the price of each mistake that was named."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from kata.course.curriculum import exercises
from kata.course.shares import PRICES, part, shares
from kata.course.suite_code import Group, about, groups
from kata.grading.rubric import Rubric, mark
from kata.points import Mark
from kata.verdict import ClaimVerdict, Diagnosis, ExerciseVerdict, Fit, Message, Mistake, State

MASKS = next(each for each in exercises().values() if each.short == "ex05")
MOST = 3.0
OF_CAUSAL = MOST * part(MASKS, "causal_mask")
INVERTED, LEAKING = (
    Mistake(slug, slug, function="causal_mask", price="small") for slug in ("inverted", "leaking")
)
DIFFERS = Message("It is right.", evidence="2 of 3 values differ")


def of(function: str) -> list[str]:
    return [claim for claim in shares(MASKS) if about(MASKS, claim.partition("[")[0]) == function]


def verdict(failing: Sequence[str], *named: Diagnosis) -> ExerciseVerdict:
    claims = tuple(
        ClaimVerdict(claim, State.FAILED, DIFFERS)
        if claim in failing
        else ClaimVerdict(claim, State.PASSED)
        for claim in shares(MASKS)
    )
    first, *further = named or (None,)
    return ExerciseVerdict(MASKS.slug, claims, diagnosis=first, further=tuple(further))


def named(*mistakes: Mistake, explains: Sequence[str], fit: Fit = Fit.ONE) -> Diagnosis:
    first, *others = mistakes
    known = Mistake(first.slug, first.title, explains=tuple(explains), function=first.function,
                    price=first.price)  # fmt: skip
    return Diagnosis(fit, (known, *others))


def worth(claims: Sequence[str]) -> float:
    return MOST * sum(shares(MASKS)[each] for each in claims)


def test_all_that_holds_is_worth_all_points() -> None:
    assert mark(verdict([]), MOST) == Mark(MOST, MOST)


def test_a_file_that_cannot_be_judged_is_worth_nothing() -> None:
    whole = ExerciseVerdict(MASKS.slug, (ClaimVerdict("error", State.ERROR),))

    assert mark(whole, MOST) == Mark(0, MOST)


def test_claims_cost_what_they_are_worth_where_no_mistake_is_known() -> None:
    failing = of("causal_mask")[:2]
    found = mark(verdict(failing), MOST)

    assert found.score == pytest.approx(MOST - worth(failing), abs=1e-4)
    assert [each.mistakes for each in found.charges] == [()]


def test_a_function_that_does_not_hold_at_all_costs_its_share() -> None:
    assert mark(verdict(of("causal_mask")), MOST).score == pytest.approx(MOST - OF_CAUSAL, abs=1e-4)


def test_the_fine_print_costs_less_than_the_idea() -> None:
    fine = [each for each in of("masked_attention")
            if groups(MASKS)[each.partition("[")[0]] is not Group.IDEA]  # fmt: skip

    lost = MOST - mark(verdict(fine), MOST).score

    assert lost == pytest.approx(MOST * part(MASKS, "masked_attention") / 3, abs=1e-4)


def test_a_mistake_that_explains_all_that_fails_costs_its_price() -> None:
    failing = of("causal_mask")
    found = mark(verdict(failing, named(INVERTED, explains=failing)), MOST)

    assert found.score == pytest.approx(MOST - OF_CAUSAL * PRICES["small"], abs=1e-4)
    assert [each.mistakes for each in found.charges] == [("inverted",)]


def test_a_mistake_costs_no_more_than_the_claims_that_it_breaks() -> None:
    dear = Mistake("dear", "dear", function="causal_mask", price="all")
    failing = of("causal_mask")[-1:]

    found = mark(verdict(failing, named(dear, explains=failing)), MOST)

    assert found.score == pytest.approx(MOST - worth(failing), abs=1e-4)


def test_claims_count_where_something_else_fails_in_the_same_function() -> None:
    failing = of("causal_mask")
    found = mark(verdict(failing, named(INVERTED, explains=failing[:-1])), MOST)

    assert found.score == pytest.approx(MOST - OF_CAUSAL, abs=1e-4)


def test_something_else_in_another_function_leaves_the_price() -> None:
    failing, other = of("causal_mask"), of("padding_mask")[:1]
    found = mark(verdict([*failing, *other], named(INVERTED, explains=failing)), MOST)

    lost = OF_CAUSAL * PRICES["small"] + worth(other)
    assert found.score == pytest.approx(MOST - lost, abs=1e-4)


def test_a_mistake_that_spoils_two_functions_costs_its_price_in_both() -> None:
    both = of("causal_mask"), of("masked_attention")
    failing = [*both[0], *both[1]]
    whole = OF_CAUSAL + MOST * part(MASKS, "masked_attention")
    by_function = [named(INVERTED, explains=each) for each in both]

    for told in ([named(INVERTED, explains=failing)], by_function):
        found = mark(verdict(failing, *told), MOST)
        assert found.score == pytest.approx(MOST - whole * PRICES["small"], abs=1e-4)
        assert len(found.charges) == 1


def test_of_mistakes_that_nobody_can_tell_apart_the_cheapest_counts() -> None:
    dear = Mistake("dear", "dear", function="causal_mask", price="all")
    failing = of("causal_mask")

    found = mark(verdict(failing, named(dear, LEAKING, explains=failing, fit=Fit.EITHER)), MOST)

    assert found.score == pytest.approx(MOST - OF_CAUSAL * PRICES["small"], abs=1e-4)


def test_what_has_no_price_costs_its_claims() -> None:
    kind = Mistake("another-dtype", "another dtype")
    failing = of("causal_mask")[:1]

    found = mark(verdict(failing, named(kind, explains=failing, fit=Fit.KIND)), MOST)

    assert found.score == pytest.approx(MOST - worth(failing), abs=1e-4)


@pytest.mark.parametrize(("price", "lost"), [("grave", OF_CAUSAL / 2), (0.55, 0.55), (0.0, 0.0)])
def test_an_instructors_price_is_what_it_costs(price: str | float, lost: float) -> None:
    failing = of("causal_mask")[-1:]
    rubric = Rubric({(MASKS.slug, "inverted"): price})

    found = mark(verdict(failing, named(INVERTED, explains=failing)), MOST, rubric)

    assert found.score == pytest.approx(MOST - lost, abs=1e-4)


def test_no_mark_is_below_nothing() -> None:
    rubric = Rubric({(MASKS.slug, "inverted"): 2.0, (MASKS.slug, "leaking"): 2.0})
    first, second = of("causal_mask"), of("masked_attention")
    told = named(INVERTED, explains=first), named(LEAKING, explains=second)

    assert mark(verdict([*first, *second], *told), MOST, rubric).score == 0


def test_a_mistake_that_leaves_nothing_to_compare_costs_its_claims() -> None:
    """Otherwise a name would be worth points by itself, whatever stands behind it."""
    failing = of("causal_mask")
    found = verdict(failing, named(INVERTED, explains=failing))
    absent = Message("It is right.", evidence="there is no `causal_mask`", leads=True)
    claims = tuple(replace(each, message=absent) if each.message else each for each in found.claims)

    assert mark(replace(found, claims=claims), MOST).score == pytest.approx(
        MOST - OF_CAUSAL, abs=1e-4
    )
