"""How much of a failure a suspect explains, number by number."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from kata.diagnosis.evidence import Agreement, agreement
from kata.diagnosis.observe import Finding, Sight
from kata.diagnosis.search import LOOSE
from kata.verdict import ClaimVerdict, State

RIGHT = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])


def finding(outcome: Any, state: State = State.FAILED, changed: Any = None) -> Finding:
    value = ("float64", outcome) if isinstance(outcome, np.ndarray) else outcome
    seen = [Sight("f", value, [changed])]
    return Finding(ClaimVerdict("test_it", state), frozenset({"f"}), lambda: seen)


def with_row(number: int, *values: float) -> Any:
    other = RIGHT.copy()
    other[number] = values
    return other


def compare(mine: Any, theirs: Any, *known: Any) -> Agreement:
    right = finding(RIGHT, State.PASSED)
    others = [finding(each) for each in known]
    return agreement(finding(mine), finding(theirs), right, others, LOOSE)


def test_the_same_wrong_numbers_explain_everything() -> None:
    found = compare(with_row(0, 7, 8, 9), with_row(0, 7, 8, 9))

    assert (found.share, found.same, found.telling) == (1, 3, True)


def test_numbers_that_are_wrong_in_one_alone_are_not_explained() -> None:
    assert compare(with_row(0, 7, 8, 9), with_row(0, 7, 8, 3)).share == pytest.approx(2 / 3)
    assert compare(with_row(0, 7, 8, 9), with_row(1, 7, 8, 9)).share == 0


def test_what_is_known_already_is_left_out() -> None:
    both = np.array([[7.0, 8.0, 9.0], [np.nan, np.nan, np.nan]])
    nan, numbers = with_row(1, np.nan, np.nan, np.nan), with_row(0, 7, 8, 9)

    assert compare(both, nan).share == pytest.approx(1 / 2)
    assert compare(both, nan, numbers) == Agreement(3, 3, telling=False, pattern=True)
    assert compare(both, nan, numbers, nan) == Agreement(0, 0)


def test_the_same_zeros_tell_little() -> None:
    assert not compare(np.zeros((2, 3)), np.zeros((2, 3))).telling
    assert compare(1 - np.eye(3)[:2], 1 - np.eye(3)[:2]).telling


def test_what_holds_explains_nothing() -> None:
    right = finding(RIGHT, State.PASSED)

    assert agreement(finding(with_row(0, 7, 8, 9)), right, right, [], LOOSE).share == 0


def test_another_shape_is_compared_with_the_same_shape() -> None:
    assert compare(np.arange(4.0), np.arange(4.0)).share == 1
    assert compare(np.arange(4.0), np.arange(5.0)).share == 0


def test_errors_are_the_same_by_kind_and_words() -> None:
    error = ("raised", ("TypeError",), "one", "one")
    other = ("raised", ("TypeError",), "two", "two")

    assert compare(error, error) == Agreement(1, 1, telling=True)
    assert compare(error, other).share == 0


def test_a_changed_argument_counts() -> None:
    right = finding(RIGHT, State.PASSED)
    mine, same = (finding(RIGHT, changed=("float64", np.zeros(2))) for _ in range(2))

    assert agreement(mine, same, right, [], LOOSE).share == 1
    assert agreement(mine, finding(RIGHT), right, [], LOOSE).share == 0


def test_names_that_are_missing_count() -> None:
    layer = [("weight", ("float64", np.ones(2))), ("bias", ("float64", np.ones(1)))]
    right = replace(finding(layer), verdict=ClaimVerdict("test_it", State.PASSED))

    assert agreement(finding(layer[:1]), finding(layer[:1]), right, [], LOOSE).share == 1
    assert agreement(finding(layer[:1]), right, right, [], LOOSE).share == 0
