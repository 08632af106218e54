"""The helpers: what they look at first, and the words in which they say it."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
import pytest

from kata.inside.execution import raised
from kata.inside.objects import Opaque
from kata.judging.arrays import TOLERANCE, close
from kata.judging.attempt import LearnerError
from kata.judging.case import Call, Case, checking, current
from kata.judging.claims import (
    ClaimFailedError,
    arguments_kept,
    between,
    equal,
    equal_gradient,
    gradients,
    is_pair,
    raises,
)
from kata.judging.inputs import given, keep_mask, normal
from tests.helpers.later import torch


@pytest.fixture(autouse=True)
def numpy_case() -> Iterator[Case]:
    with checking(Case("test_something", "numpy")) as case:
        yield case


@pytest.fixture
def torch_case() -> Iterator[Case]:
    with checking(Case("test_something", "torch", "cpu")) as case:
        yield case


def failure(claim: Callable[[], object]) -> ClaimFailedError:
    with pytest.raises(ClaimFailedError) as caught:
        claim()
    return caught.value


def evidence(claim: Callable[[], object]) -> str:
    return failure(claim).evidence


def pictured(got: Any, right: Any, **how: Any) -> Any:
    """The picture of a comparison that fails."""
    return failure(lambda: equal(got, right, **how)).fields["picture"]


RIGHT = np.array([[0.0, 1.0], [2.0, 3.0]])


def test_the_first_thing_that_is_wrong() -> None:
    nan, other = np.where(RIGHT == 2, np.nan, RIGHT), RIGHT + np.array([[0, 0.25], [0, 1]])
    cases = (
        (None, "returned None, expected a numpy array (is a `return` missing?)"),
        ([[0.0, 1.0], [2.0, 3.0]], "returned a list of 2, expected a numpy array"),
        ((RIGHT, RIGHT), "returned a tuple of 2, expected a numpy array"),
        (1.0, "returned a float, expected a numpy array"),
        (Opaque("dict"), "returned a dict, expected a numpy array"),
        (RIGHT[:1], "shape (1, 2), expected (2, 2)"),
        (RIGHT.astype("float32"), "dtype float32, expected float64"),
        (RIGHT.astype(object), "dtype object, expected float64"),
        (nan, "1 of 4 values are not finite; first at [1, 0]: expected 2, got nan"),
        (other, "2 of 4 values differ; worst at [1, 1]: expected 3, got 4"),
    )
    for got, said in cases:
        assert evidence(partial(equal, got, RIGHT, dtype="float64")) == said


@pytest.mark.usefixtures("torch_case")
def test_a_torch_exercise_wants_tensors_and_a_mask_has_to_be_boolean() -> None:
    array, numbers = np.ones(2), torch.ones(2, dtype=torch.int64)

    said = "weights is a numpy array of shape (2,), expected a torch tensor"
    assert evidence(lambda: equal(array, [1, 1], what="weights")) == said
    assert evidence(lambda: equal(numbers, [True, True])) == "dtype int64, expected bool"


@pytest.mark.usefixtures("torch_case")
@pytest.mark.parametrize(("dtype", "limit"), TOLERANCE.items())
def test_one_tolerance_for_each_dtype(dtype: str, limit: float) -> None:
    got = torch.ones(2, dtype=getattr(torch, dtype))
    current().events.append(Call("f", ("x",), (got,)))  # what was given is of this dtype, too

    equal(got, [1 + limit / 2, 1.0])
    assert "1 of 2 values differ" in evidence(lambda: equal(got, [1 + 3 * limit, 1.0]))


@pytest.mark.usefixtures("torch_case")
@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_half_of_a_precision_buys_no_tolerance(dtype: str) -> None:
    got = torch.ones(2, dtype=getattr(torch, dtype))

    assert "2 of 2 values differ" in evidence(lambda: equal(got, [1 + 1e-4, 1 + 1e-4]))
    equal(got, [1 + 1e-4, 1 + 1e-4], dtype=dtype)


def test_only_where_it_matters() -> None:
    equal(RIGHT + 1, RIGHT, where=RIGHT > 5)
    told = evidence(lambda: equal(RIGHT + 1, RIGHT, where=RIGHT > 2))
    assert "1 of 1 values compared here differ" in told


def test_minus_infinity_can_be_expected() -> None:
    equal(np.array([-np.inf]), [-np.inf])


def test_a_picture_of_the_worst_slab() -> None:
    right = np.zeros((2, 2, 3))
    got = right.copy()
    got[1, 0, 2] = 5

    picture = pictured(got, right)

    assert picture.where == "1"
    assert picture.wrong == [[False, False, True], [False, False, False]]


def test_a_large_picture_is_a_window_round_the_worst_place() -> None:
    right = np.zeros((100, 30))
    got = right.copy()
    got[99, 15] = 5

    picture = pictured(got, right)

    assert (picture.row, picture.column) == (88, 9)
    assert np.array(picture.got).shape == (12, 12)
    assert picture.got[11][6] == 5


def test_outputs_and_rows_have_a_picture_and_a_single_number_has_none() -> None:
    row = pictured(np.array([1.0, 2.0, np.nan]), [1.0, 2.0, 3.0])

    assert (row.expected, row.shape, row.worst) == ([[1.0, 2.0, 3.0]], [1, 3], [0, 2])
    assert pictured(np.array([1.0]), [2.0]) is None


def test_what_is_not_compared_is_not_shown_as_expected() -> None:
    right, got = np.array([[1.0, 2.0]]), np.array([[5.0, 2.0]])

    assert pictured(got, right, where=right < 2) is None
    assert pictured(got > 2, right > 1, where=right < 2) is not None  # a mask is whole


def test_a_picture_says_where_misplaced_numbers_belong() -> None:
    heads = np.arange(12.0).reshape(1, 2, 3, 2)  # sample, head, token, feature
    merged, scrambled = heads.swapaxes(1, 2).reshape(1, 3, 4), heads.reshape(1, 3, 4)
    picture = pictured(scrambled, merged)

    assert picture.axis == 1  # tokens are mixed up, not features alone
    assert picture.stands == [[0] * 4, [1] * 4, [2] * 4]
    assert picture.belongs == [[0, 0, 1, 1], [2, 2, 0, 0], [1, 1, 2, 2]]
    worst = picture.got[picture.worst[0]][picture.worst[1]]
    assert merged[tuple(picture.home)] == worst


@pytest.mark.parametrize(
    "right", [np.zeros((2, 3)), np.full((2, 3), np.inf), np.eye(3), np.arange(10_000.0)]
)
def test_a_number_that_is_expected_twice_or_among_very_many_belongs_nowhere(right: Any) -> None:
    got = np.where(np.isinf(right), 1.0, right)
    got = np.flip(got, -1) + (got == got[..., ::-1])

    assert pictured(got, right).belongs == []


def test_numbers_that_are_wrong_by_themselves_belong_nowhere() -> None:
    right = np.arange(6.0).reshape(2, 3)
    picture = pictured(right * 1.5 + 0.3, right)

    assert (picture.belongs, picture.stands, picture.home) == ([], [], [])


def boom(error: Exception) -> Callable[[], object]:
    def call() -> object:
        raise LearnerError(raised(error), [])

    return call


def test_the_right_error_passes() -> None:
    raises("ValueError", boom(ValueError("18 does not go into 4")), mentions=(18, 4))
    raises("ValueError", boom(UnicodeError("a kind of ValueError")))


def test_the_wrong_error_does_not() -> None:
    odd = boom(ValueError("18 is odd"))
    cases = (
        (lambda: None, "no error was raised, expected ValueError; it returned None"),
        (boom(KeyError("E")), "expected ValueError, got KeyError: 'E'"),
        (odd, "the message of ValueError should name 4; it says: '18 is odd'"),
    )
    for call, said in cases:
        assert evidence(partial(raises, "ValueError", call, mentions=(18, 4))) == said


def test_changed_arguments(numpy_case: Case) -> None:
    numpy_case.events.append(Call("softmax", ("scores",), (RIGHT,), (RIGHT + 1,)))

    assert evidence(arguments_kept) == "`scores` was changed by softmax"


def test_a_changed_array_in_a_tuple(numpy_case: Case) -> None:
    kept, changed = (RIGHT, RIGHT), (RIGHT, RIGHT + 1)
    numpy_case.events.append(Call("attend", ("cache",), (kept,), (kept,)))
    arguments_kept()
    numpy_case.events.append(Call("attend", ("cache",), (kept,), (changed,)))

    assert evidence(arguments_kept) == "`cache` was changed by attend"


def test_a_pair() -> None:
    is_pair((1, 2))
    assert evidence(lambda: is_pair(None)).endswith("(output, weights) (is a `return` missing?)")
    assert evidence(lambda: is_pair(RIGHT)) == (
        "returned a numpy array of shape (2, 2), expected a tuple (output, weights)"
    )


def test_between() -> None:
    between(0.25, 0.2, 0.3, "share of zeros")
    assert evidence(lambda: between(0.75, 0.2, 0.3, "share of zeros")) == (
        "share of zeros: expected 0.2 to 0.3, got 0.75"
    )
    assert evidence(lambda: between(0, 0.01, float("inf"), "spread")) == (
        "spread: expected at least 0.01, got 0"
    )
    assert evidence(lambda: between(3, float("-inf"), 1, "spread")) == (
        "spread: expected at most 1, got 3"
    )


def test_another_error_comes_with_the_line_that_raised_it() -> None:
    def call() -> object:
        frames = ["mine.py:3 in f\n    assert x > 0"]
        raise LearnerError(raised(AssertionError()), frames, 3, by_hand=True)

    found = failure(lambda: raises("ValueError", call))

    assert found.evidence == "expected ValueError, got AssertionError"
    assert found.fields["frames"] == ["mine.py:3 in f\n    assert x > 0"]
    assert found.fields["line"] == 3


def test_what_is_no_array_leads() -> None:
    for got in (None, [0.0], 1.0, torch.ones(2)):
        assert failure(partial(equal, got, [0.0])).fields["leads"], got


@pytest.mark.usefixtures("torch_case")
def test_gradients_that_do_not_flow() -> None:
    x = normal(3, grad=True)

    assert gradients(x * 2, x)[0].tolist() == [-2, 0, 2]
    assert "no gradient flows back" in evidence(lambda: gradients(x.detach(), x))
    assert evidence(lambda: equal_gradient(None, x, "x")) == "no gradient flows back to x"


@pytest.mark.usefixtures("torch_case")
def test_a_wrong_gradient_is_called_by_its_name() -> None:
    assert evidence(lambda: equal_gradient(torch.ones(2), [1.0, 2.0], "x")) == (
        "1 of 2 values of the gradient of x differ; worst at [1]: expected 2, got 1"
    )


@pytest.mark.usefixtures("torch_case")
def test_gradients_that_cannot_flow_have_a_known_cause() -> None:
    x = normal(3, grad=True)
    outputs = {"a trip through NumPy": x.detach(), "an in-place operation": x.exp().mul_(2)}

    for cause, output in outputs.items():
        assert cause in failure(partial(gradients, output, x)).cause


def test_a_claim_draws_its_own_numbers_again_and_again() -> None:
    with checking(Case("test_a", "torch")):
        first = normal(3)
    with checking(Case("test_a", "torch")):
        again = normal(3)
    with checking(Case("test_b", "torch")):
        other = normal(3)

    assert torch.equal(first, again)
    assert not torch.equal(first, other)


@pytest.mark.usefixtures("torch_case")
def test_draws_are_as_the_library_has_them() -> None:
    assert normal(2).dtype == torch.float32
    assert normal(2, dtype="float64").dtype == torch.float64
    assert given([1, 2]).dtype == torch.int64
    assert keep_mask(2, 3).dtype == torch.bool


@pytest.mark.usefixtures("torch_case")
def test_a_drawn_mask_hides_something_and_not_everything_of_each_row() -> None:
    mask = keep_mask(50, 3, 5)

    assert mask.any(dim=-1).all()
    assert not mask.all(dim=-1).any()


@pytest.mark.parametrize(
    ("mine", "right", "agree"),
    [
        (0.0, -np.inf, False), (0.0, np.inf, False), (np.inf, -np.inf, False),
        (-np.inf, -np.inf, True), (np.inf, np.inf, True), (np.inf, 1e300, False),
        (np.nan, np.inf, False), (1e308, 1e308 * (1 + 1e-9), True),
    ],
)  # fmt: skip
@pytest.mark.parametrize("shape", [(), (1,), (2, 3)])
def test_to_infinity_only_the_same_infinity_is_close(
    mine: float, right: float, agree: bool, shape: tuple[int, ...]
) -> None:
    found = close(np.full(shape, mine), np.full(shape, right), "float64")

    assert np.all(found == agree)


def test_a_whole_number_is_not_close_to_infinity() -> None:
    assert not close(np.array([5]), np.array([-np.inf]), "int64").any()
    assert close(np.array([5]), np.array([5.0]), "int64").all()
