"""What softmax is: positive weights that sum to one along one axis, for scores of any size."""

import math

import numpy as np

from kata.judging.claims import arguments_kept, equal
from kata.judging.inputs import given, in_any_order, normal, nudged


def naive(scores, axis=-1):
    """Softmax from its definition, one row at a time, in plain Python floats."""
    rows = np.moveaxis(scores, axis, -1)
    weights = np.empty(rows.shape)
    for index in np.ndindex(rows.shape[:-1]):
        row = rows[index].tolist()
        top = max(row)
        powers = [math.exp(score - top) for score in row]
        weights[index] = np.divide(powers, math.fsum(powers))
    return np.moveaxis(weights, -1, axis)


def coarse(scores):
    """The same in steps of 1/64, which float32 holds exactly: weights may be computed in it."""
    return np.round(64 * scores) / 64


# The idea


def test_one_row_gets_the_weights_worked_out_by_hand(submission):
    """The scores log 1, log 2 and log 5 become the weights 1/8, 2/8 and 5/8."""
    scores = np.log(given([1.0, 2.0, 5.0]))
    equal(submission.softmax(scores), [0.125, 0.25, 0.625])
    shares = given(in_any_order([1.0, 2.0, 3.0, 5.0, 9.0]))
    equal(submission.softmax(np.log(shares)), shares / 20)


def test_no_weight_is_negative(submission):
    """Scores may be negative; weights never are, because exp makes every score positive first."""
    scores = given(nudged([1.0, -1.0, 2.0], by=0.5))
    equal(submission.softmax(scores), naive(scores))


def test_each_row_sums_to_one_by_itself(submission):
    """In a matrix of scores each row is a softmax of its own, whatever the other rows hold."""
    scores = normal(3, 5)
    equal(submission.softmax(scores), naive(scores))


def test_in_a_square_matrix_rows_sum_to_one_not_columns(submission):
    """A square of scores is no special case: sums still belong to rows, not to columns."""
    scores = normal(4, 4)
    equal(submission.softmax(scores), naive(scores))


def test_equal_scores_get_equal_weights(submission):
    """Two scores may both be the largest: then both count, and they get the same weight."""
    most, least = nudged([3.0, 1.0], by=0.5)
    shares = given([[most, most, least], [2.0, 2.0, 2.0]])
    equal(submission.softmax(np.log(shares)), shares / shares.sum(axis=1, keepdims=True))


def test_the_weights_sum_to_one_along_the_given_axis(submission):
    """`axis` says along which axis the weights sum to one."""
    scores = normal(2, 3, 5)
    equal(submission.softmax(scores, axis=1), naive(scores, axis=1))


def test_axis_0_is_the_first_axis(submission):
    """`axis=0` is an axis like every other."""
    for shape in [(4, 3), (2, 3, 5)]:
        scores = normal(*shape)
        equal(submission.softmax(scores, axis=0), naive(scores, axis=0))


def test_axis_minus_2_is_the_second_to_last(submission):
    """-1 is not the only negative axis: `axis=-2` is the one before the last."""
    scores = normal(2, 3, 5)
    equal(submission.softmax(scores, axis=-2), naive(scores, axis=-2))


# The fine print


def test_the_last_axis_sums_to_one_after_any_leading_dimensions(submission):
    """With leading dimensions, however many, the last axis is still the one that sums to one."""
    for lead in [(2,), (2, 4), (2, 3, 4)]:
        scores = normal(*lead, 3, 5)
        equal(submission.softmax(scores), naive(scores))


def test_float32_stays_float32(submission):
    """The weights have the dtype of the scores."""
    for shape in [(2, 3), (5,), (2, 3, 5)]:
        scores = normal(*shape, dtype="float32")
        equal(submission.softmax(scores), naive(scores), dtype="float32")
        equal(submission.softmax(scores, axis=0), naive(scores, axis=0), dtype="float32")


def test_float64_stays_float64(submission):
    """Scores in double precision get weights in double precision."""
    scores = normal(2, 3, dtype="float64")
    equal(submission.softmax(scores), naive(scores), dtype="float64")


def test_large_scores_do_not_overflow(submission):
    """exp(10000) is more than a float can hold; the weights are ordinary numbers all the same."""
    scores = coarse(given(nudged([10000.0, 10001.0, 9999.0], by=0.5)))
    equal(submission.softmax(scores), naive(scores))


def test_very_negative_scores_do_not_vanish(submission):
    """exp(−10000) rounds to zero, and zero divided by zero is NaN; the weights are not."""
    scores = coarse(given(nudged([-10000.0, -10001.0, -9999.0], by=0.5)))
    equal(submission.softmax(scores), naive(scores))


def test_scores_at_the_limits_of_exp_get_the_right_weights(submission):
    """Near the edge there is no NaN yet: exp(709) is a number, but a sum of three is inf."""
    for row in [[709.5, 709.0, 709.7], [-741.0, -740.0, -742.0]]:
        scores = coarse(given(nudged(row, by=0.05)))
        equal(submission.softmax(scores), naive(scores))


def test_rows_of_very_different_size_stay_independent(submission):
    """One row around 10,000 beside one around −10,000: each row is stable by itself."""
    scores = coarse(normal(3, 5)) + given([[11000.0], [0.0], [-11000.0]])
    equal(submission.softmax(scores), naive(scores))


def test_along_axis_0_columns_of_very_different_size_stay_independent(submission):
    """Along another axis too, none disturbs another: here each column is stable by itself."""
    scores = coarse(normal(4, 3)) + given([10000.0, 0.0, -10000.0])
    equal(submission.softmax(scores, axis=0), naive(scores, axis=0))


def test_minus_infinity_gets_weight_zero(submission):
    """A score of −inf is a key that may not be seen: its weight is exactly zero, not almost."""
    first, second = coarse(nudged([[1.0, -np.inf, 2.0], [-np.inf, -np.inf, 3.0]], by=0.4))
    scores = given([first, second, first - 10000])
    weights = submission.softmax(scores)
    equal(weights, naive(scores))
    equal(weights != 0, scores > -np.inf, what="`weights != 0`")
    equal(submission.softmax(scores.T, axis=0), naive(scores).T)


def test_scores_far_above_the_others_take_all_the_weight(submission):
    """Within one row scores may lie far apart: the largest then takes all the weight."""
    scores = coarse(nudged([[3000.0, 0.0, -3000.0], [-3000.0, 3000.0, 3000.0]], by=1.0))
    equal(submission.softmax(scores), naive(scores))


def test_large_scores_do_not_overflow_in_float32(submission):
    """float32 holds less: exp(100) is inf there already, and exp(−100) is hardly a number."""
    scores = given(normal(3, 5) + given([[100.0], [0.0], [-100.0]]), dtype="float32")
    equal(submission.softmax(scores), naive(scores), dtype="float32")


def test_axes_of_length_one_are_kept(submission):
    """A matrix of one row is still a matrix, and a row of one score has the weight 1."""
    for scores in [normal(1, 5), normal(3, 1)]:
        equal(submission.softmax(scores), naive(scores))


def test_every_score_of_a_long_row_counts(submission):
    """Hundreds of keys are nothing special: every score counts, wherever it stands in its row."""
    scores = normal(2, 300, scale=3.0)
    equal(submission.softmax(scores), naive(scores))


def test_scores_stay_as_they_are(submission):
    """The scores belong to the caller: softmax returns a new array."""
    for scores in [normal(2, 3), given([[1.0, -np.inf, 2.0], [-np.inf, 4.0, 3.0]])]:
        equal(submission.softmax(scores), naive(scores))
        equal(submission.softmax(scores.T, axis=0), naive(scores).T)
    arguments_kept()


def test_earlier_results_stay_as_they_are(submission):
    """A new array each time: a later call changes no earlier result."""
    scores = normal(2, 3)
    weights = submission.softmax(scores)
    submission.softmax(-scores)
    equal(weights, naive(scores), what="the first result")
