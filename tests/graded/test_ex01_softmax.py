"""What softmax is: positive weights that sum to one along one axis, for scores of any size."""

import math

import numpy as np

from kata.claims import arguments_kept, equal, is_array
from kata.draw import given, normal


def naive(scores, axis=-1):
    """Softmax from its definition, one row at a time, in plain Python floats."""
    rows = np.moveaxis(scores, axis, -1)
    weights = np.empty(rows.shape)
    for index in np.ndindex(rows.shape[:-1]):
        top = max(rows[index])
        powers = [math.exp(score - top) for score in rows[index]]
        weights[index] = [power / math.fsum(powers) for power in powers]
    return np.moveaxis(weights, -1, axis)


def test_no_weight_is_negative(submission):
    """Scores may be negative; weights never are, because exp makes every score positive first."""
    scores = given([1.0, -1.0, 2.0])
    weights = submission.softmax(scores)
    is_array(weights)
    cause = "scores divided by their own sum keep their sign"
    equal(weights, naive(scores), where=weights < 0, cause=cause)


def test_one_row_worked_by_hand(submission):
    """The scores log 1, log 2 and log 5 become the weights 1/8, 2/8 and 5/8."""
    scores = np.log(given([1.0, 2.0, 5.0]))
    equal(submission.softmax(scores), [0.125, 0.25, 0.625])


def test_each_row_sums_to_one_by_itself(submission):
    """In a matrix of scores each row is a softmax of its own, whatever the other rows hold."""
    scores = normal(3, 5)
    equal(submission.softmax(scores), naive(scores), picture=True)


def test_as_many_rows_as_columns(submission):
    """A square of scores is no special case: sums still belong to rows, not to columns."""
    scores = normal(4, 4)
    equal(submission.softmax(scores), naive(scores), picture=True)


def test_more_dimensions(submission):
    """With leading dimensions the last axis is still the one that sums to one."""
    scores = normal(2, 3, 5)
    equal(submission.softmax(scores), naive(scores))


def test_along_another_axis(submission):
    """`axis` says along which axis the weights sum to one."""
    scores = normal(2, 3, 5)
    equal(submission.softmax(scores, axis=1), naive(scores, axis=1))


def test_along_an_axis_counted_from_the_front(submission):
    """`axis=0` is an axis like every other."""
    scores = normal(4, 3)
    equal(submission.softmax(scores, axis=0), naive(scores, axis=0))


def test_large_scores_do_not_overflow(submission):
    """exp(10000) is more than a float can hold; the weights are ordinary numbers all the same."""
    scores = given([10000.0, 10001.0, 9999.0])
    equal(submission.softmax(scores), naive(scores))


def test_very_negative_scores_do_not_vanish(submission):
    """exp(−10000) rounds to zero, and zero divided by zero is NaN; the weights are not."""
    scores = given([-10000.0, -10001.0, -9999.0])
    equal(submission.softmax(scores), naive(scores))


def test_rows_of_very_different_size(submission):
    """One row around 10,000 beside one around −10,000: each row is stable by itself."""
    scores = normal(3, 5) + given([[10000.0], [0.0], [-10000.0]])
    equal(submission.softmax(scores), naive(scores))


def test_minus_infinity_gets_weight_zero(submission):
    """A score of −inf among finite ones is a key that may not be seen: its weight is zero."""
    scores = given([[1.0, -np.inf, 2.0], [-np.inf, -np.inf, 3.0]])
    equal(submission.softmax(scores), [[0.26894142, 0.0, 0.73105858], [0.0, 0.0, 1.0]])


def test_scores_stay_as_they_are(submission):
    """The scores belong to the caller: softmax returns a new array."""
    scores = normal(2, 3)
    equal(submission.softmax(scores), naive(scores))
    arguments_kept(cause="an in-place operation (`-=`, `/=`, `out=`) on the argument itself")


def test_float32_stays_float32(submission):
    """The weights have the dtype of the scores."""
    scores = normal(2, 3, dtype="float32")
    equal(submission.softmax(scores), naive(scores), dtype="float32")
