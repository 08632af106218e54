"""What rotary positions are: pairs of features, turned by angles that grow with the position.

The claims about turning bring tables of their own, with angles of every size in no order, so that a
mistake in the table is one mistake and not many. What must come out is worked out pair by pair, in
float64.
"""

import math
from functools import partial

import numpy as np

from kata.judging.claims import (
    arguments_kept,
    between,
    equal,
    equal_gradient,
    gradients,
    has_dtype,
    has_shape,
    is_tuple,
    raises,
)
from kata.judging.inputs import given, in_any_order, normal, nudged, numpy, one_of

B, H, T, D = 2, 3, 5, 8


# What must come out


def near(got, expected, within, dtype="", what="", where=None):
    """Values are right to what the contract promises, which is less than float32 can do."""
    has_shape(got, np.shape(expected), what)
    mine = numpy(got)
    expected = np.where(np.abs(mine - expected) <= within, mine, expected)
    equal(got, expected, dtype=dtype, what=what, where=where)


def right_angles(length, width, base=10_000.0):
    """The angle of each position and pair, by the formula."""
    return np.arange(length)[:, None] * base ** (-2 * np.arange(width // 2) / width)


def is_table(got, length, width, base=10_000.0, row=None):
    """Cosines and sines of these angles came back, at least in this row."""
    is_tuple(got, 2, "(cos, sin)")
    angles = right_angles(length, width, base)
    where = None if row is None else np.arange(length)[:, None] == row
    for name, one, right in zip(("cos", "sin"), got, (np.cos, np.sin), strict=True):
        near(one, right(angles), 1e-3, what=f"`{name}`", where=where)


def any_table(length, width=D):
    """The cosines and sines of any angles, a different one for each position and pair.

    One in three is close to a quarter turn or to none, where a cosine or a sine alone says little
    about its angle.
    """
    angles = numpy(normal(length, width // 2, scale=3.0))
    quarter = np.round(2 * angles / np.pi) * np.pi / 2
    close = np.arange(angles.size).reshape(angles.shape) % 3 == 2
    angles = np.where(close, quarter + (angles - quarter) / 1000, angles)
    return given(np.cos(angles)), given(np.sin(angles))


def true_table(length, width):
    """Those that a table should have."""
    angles = right_angles(length, width)
    return given(np.cos(angles)), given(np.sin(angles))


def neighbours(pair, width):
    """The two features of a pair for rotate_pairs."""
    return 2 * pair, 2 * pair + 1


def half_apart(pair, width):
    """The two features of a pair for rotate_halves."""
    return pair, pair + width // 2


def turned(x, table, places, offset=0):
    """One pair after the other."""
    x, (cos, sin) = numpy(x), map(numpy, table)
    width, rows = x.shape[-1], slice(offset, offset + x.shape[-2])
    result = np.empty_like(x)
    for pair in range(width // 2):
        one, other = places(pair, width)
        a, b, c, s = x[..., one], x[..., other], cos[rows, pair], sin[rows, pair]
        result[..., one], result[..., other] = a * c - b * s, a * s + b * c
    return result


def both(submission):
    """The two ways to turn, each with the features that it takes together."""
    return (submission.rotate_pairs, neighbours), (submission.rotate_halves, half_apart)


def right(got, x, expected, dtype=""):
    """Turned features came back, right to 1e-5 of the largest of x."""
    near(got, expected, 1e-5 * np.abs(numpy(x)).max(), dtype)


def check(submission, x, table, *offset, dtype="", **named):
    """Both functions turn x as they should, with an offset in its place or by its name."""
    for turn, places in both(submission):
        expected = turned(x, table, places, *offset, **named)
        right(turn(x, *table, *offset, **named), x, expected, dtype)


def refuses(submission, length, cases):
    """Neither function has rows in a table of this length for so many tokens from an offset on."""
    table = any_table(length)
    before = ((B, H), (B,), (), (B,))
    for more, (tokens, offset) in zip(before, in_any_order(cases), strict=False):
        x = normal(*more, tokens, D)
        for turn, _ in both(submission):
            call = partial(turn, x, *table, offset)
            raises("ValueError", call, mentions=(tokens + offset, length))


def everywhere(features):
    """These features for each token of each head of each sample."""
    return np.tile(features, (B, H, T, 1))


def quarter_turns():
    """A table for heads of four features, in which all angles are 90°."""
    return given(np.zeros((T, 2))), given(np.ones((T, 2)))


def reordered(x):
    """The features with even numbers, then those with odd ones."""
    order = [*range(0, x.shape[-1], 2), *range(1, x.shape[-1], 2)]
    return numpy(x)[..., order]


# The idea


# rotation_table


def test_the_table_is_a_cosine_and_a_sine_for_each_position_and_pair(submission):
    """Two tensors come back, cosines first: five positions and heads of eight features, so four
    pairs, make five rows of four numbers in each."""
    length = one_of(5, 3, 7, 9)
    got = submission.rotation_table(length, D, 10_000.0)
    is_tuple(got, 2, "(cos, sin)")
    for name, one in zip(("cos", "sin"), got, strict=True):
        has_shape(one, (length, D // 2), f"`{name}`")


def test_position_0_is_not_turned(submission):
    """Positions count from 0, and at position 0 every angle is 0: its cosine is 1, its sine 0."""
    width = one_of(D, 6, 10, 12)
    is_table(submission.rotation_table(T, width, 10_000.0), T, width, row=0)


def test_the_example_of_the_docstring(submission):
    """With four features, position 1 turns the first pair by 1 radian and the second, which is
    slower, by 10,000 to the power of -1/2, a hundredth."""
    is_table(submission.rotation_table(2, 4, 10_000.0), 2, 4)


def test_each_pair_is_slower_than_the_one_before_by_the_same_factor(submission):
    """With D features, pair i turns by base to the power of -2i/D at position 1: from 1 down to a
    little more than 1/base, in D / 2 equal steps of the exponent."""
    for width in (10, one_of(6, 8, 12, 14)):
        is_table(submission.rotation_table(2, width, 10_000.0), 2, width, row=1)


def test_an_angle_is_the_position_times_that_of_position_1(submission):
    """Position 4 turns four times as far as position 1. Only angles that grow in proportion make a
    score depend on the distance."""
    length, width = one_of(7, 9, 11), one_of(10, 6, 12)
    is_table(submission.rotation_table(length, width, 10_000.0), length, width)


def test_another_base_is_used(submission):
    """Models for long texts have a larger base, 500,000 in Llama 3, so that the last pairs turn
    more slowly; any base above one will do. Arguments may be given by their names."""
    for base in (500_000.0, one_of(100.0, 50.0, 1_000.0), 1.5):
        is_table(submission.rotation_table(T, D, base=base), T, D, base)
    is_table(submission.rotation_table(length=T, head_dim=D, base=1.5), T, D, 1.5)


# rotate_pairs and rotate_halves


def test_pairs_a_quarter_turn(submission):
    """Turned by 90°, the pair (a, b) becomes (-b, a), and neighbours are pairs: 1 2 3 4 becomes
    -2 1 -4 3."""
    a, b, c, d = nudged([1.0, 2.0, 3.0, 4.0], 0.4)
    x = given(everywhere([a, b, c, d]))
    right(submission.rotate_pairs(x, *quarter_turns()), x, everywhere([-b, a, -d, c]))


def test_halves_a_quarter_turn(submission):
    """Turned by 90°, the pair (a, b) becomes (-b, a), and pairs are half a head apart: 1 2 3 4
    becomes -3 -4 1 2."""
    a, b, c, d = nudged([1.0, 2.0, 3.0, 4.0], 0.4)
    x = given(everywhere([a, b, c, d]))
    right(submission.rotate_halves(x, *quarter_turns()), x, everywhere([-c, -d, a, b]))


def test_an_angle_of_0_changes_nothing(submission):
    """At position 0 queries and keys come back as they are: cosine 1, sine 0."""
    x, shape = normal(B, H, T, D), (T, D // 2)
    for turn, _ in both(submission):
        right(turn(x, given(np.ones(shape)), given(np.zeros(shape))), x, numpy(x))


def test_to_turn_keeps_lengths(submission):
    """A turned vector is as long as before, whatever the angles. If the two features of a pair get
    different angles, this is what breaks first."""
    x, table = normal(B, H, T, D), any_table(T)
    lengths = np.linalg.norm(numpy(x), axis=-1)
    for turn, _ in both(submission):
        got = turn(x, *table)
        has_shape(got, (B, H, T, D))
        near(given(np.linalg.norm(numpy(got), axis=-1)), lengths, 1e-4, what="the lengths")


def test_a_score_depends_on_the_distance_alone(submission):
    """One query and one key, put at every position and turned: the scores of all that are equally
    far apart are the same, and at other distances they are others. This is what turning is for."""
    query, key, table = normal(1, D), normal(1, D), true_table(6, D)
    for turn, _ in both(submission):
        made = []
        for one in (query, key):
            got = turn(one.repeat(B, H, 6, 1), *table)
            has_shape(got, (B, H, 6, D))
            made.append(numpy(got))
        scores = made[0] @ made[1].swapaxes(-2, -1)
        mean = scores.mean((0, 1))
        same = np.array([[np.diagonal(mean, s - t).mean() for s in range(6)] for t in range(6)])
        near(given(scores), np.tile(same, (B, H, 1, 1)), 1e-3, what="the scores")
        between(float(np.ptp(same)), 0.05, math.inf, "spread of the scores over all distances")


def test_pairs_each_token_and_pair_has_an_angle_of_its_own(submission):
    """Token t and pair i turn by the angle in row t and column i, and the two numbers of the pair
    come back to its two features, neighbours."""
    x, table = normal(B, H, T, D), any_table(T)
    expected = turned(x, table, neighbours)
    right(submission.rotate_pairs(x, *table), x, expected)


def test_halves_each_token_and_pair_has_an_angle_of_its_own(submission):
    """Token t and pair i turn by the angle in row t and column i, and the two numbers of the pair
    come back to its two features, half a head apart."""
    x, table = normal(B, H, T, D), any_table(T)
    expected = turned(x, table, half_apart)
    right(submission.rotate_halves(x, *table), x, expected)


def test_without_an_offset_tokens_begin_at_position_0(submission):
    """A table is made once, for the longest text: of more rows than tokens, the first ones
    count."""
    check(submission, normal(B, H, T, D), any_table(one_of(11, 9, 13)))


def test_an_offset_is_the_position_of_the_first_token(submission):
    """With offset 3 the first token stands at position 3 and the next at position 4, as new tokens
    do behind three that are in a cache. The rows before belong to others. Arguments may be
    given by their names."""
    for offset in (3, one_of(2, 1, 4)):
        check(submission, normal(B, H, T, D), any_table(11), offset)
    x, table = normal(B, H, T, D), any_table(11)
    check(submission, x, table, offset=3)
    for turn, places in both(submission):
        got = turn(x=x, cos=table[0], sin=table[1], offset=3)
        right(got, x, turned(x, table, places, 3))


# pairs_to_halves


def test_reordered_even_features_come_first(submission):
    """Of six features, those with the numbers 0 2 4 come first, then 1 3 5."""
    x = given(in_any_order([0.0, 1.0, 2.0, 3.0, 4.0, 5.0]))
    equal(submission.pairs_to_halves(x), reordered(x))


def test_to_turn_and_then_reorder_is_to_reorder_and_then_turn(submission):
    """What are neighbours before lies half a head apart after it. So one model can take over the
    weights of another, whose pairs are other features: only their order changes."""
    x, table = normal(B, H, T, 10), any_table(T, 10)
    same, expected = x.clone(), reordered(turned(x, table, neighbours))
    right(submission.pairs_to_halves(submission.rotate_pairs(x, *table)), x, expected)
    right(submission.rotate_halves(submission.pairs_to_halves(same), *table), same, expected)


# The fine print


# rotation_table


def test_the_table_is_float32(submission):
    """Both are float32, whatever they were computed in: so they fit to queries and keys, and half
    precision would ruin them."""
    got = submission.rotation_table(one_of(5, 3, 7, 9), D, 10_000.0)
    is_tuple(got, 2, "(cos, sin)")
    for name, one in zip(("cos", "sin"), got, strict=True):
        has_dtype(one, "float32", f"`{name}`")


def test_the_base_is_10_000_unless_another_one_is_given(submission):
    """The base is 10,000 by default, and not 1,000."""
    is_table(submission.rotation_table(T, D), T, D)


def test_a_table_may_have_one_row_or_one_column(submission):
    """One position, or a head of two features, which is one pair: dimensions of length 1 stay."""
    for length, width in ((1, D), (T, 2), (1, 2)):
        is_table(submission.rotation_table(length, width), length, width)


def test_numbers_are_right_to_a_thousandth_up_to_position_4096(submission):
    """At position 4,096 an angle is 4,096 radians, of which half precision knows not even the
    turn. The contract allows an error of a thousandth, which float32 can keep: also for the last
    of many pairs, and for a small base, with which all pairs are fast."""
    for width, base in ((6, ()), (4, (1.5,)), (64, (1.05,))):
        got = submission.rotation_table(4097, width, *base)
        is_table(got, 4097, width, *base)


def test_a_table_owes_nothing_to_earlier_ones(submission):
    """Each call gives the table that it was asked for, whatever length, width or base an earlier
    one had; and the earlier one's table stays as it was."""
    asked = ((T, D, 10_000.0), (T, D, 100.0), (3, D, 100.0), (7, D, 100.0), (7, 6, 100.0))
    tables = [submission.rotation_table(*each) for each in asked]
    for table, each in zip(tables, asked, strict=True):
        is_table(table, *each)


# rotate_pairs and rotate_halves


def test_samples_and_heads_are_turned_alike(submission, device):
    """Any number of dimensions may come before tokens and features: position 3 is position 3 in
    every head of every sample."""
    table = any_table(T)
    for before in ((B, H), (B,), (), (2, B, H)):
        check(submission, normal(*before, T, D), table)


def test_tokens_are_the_last_dimension_but_one(submission):
    """As many samples or heads as tokens, or as many tokens as features or pairs: no length says
    which dimension is which."""
    for shape in ((T, T, T, D), (B, H, D, D), (B, D // 2, D // 2, D)):
        check(submission, normal(*shape), any_table(shape[-2]))


def test_dimensions_of_length_one_stay(submission):
    """One sample, one head, one token, one pair: the shape that went in comes out."""
    for shape in ((1, 1, 1, D), (B, H, 1, D), (1, T, D), (B, 1, T, 2), (1, 2)):
        check(submission, normal(*shape), any_table(shape[-2], shape[-1]))


def test_heads_of_many_features_are_turned_whole(submission):
    """Heads of real models have 64 or 128 features, or 80: all of them are turned."""
    for width in (128, one_of(80, 64, 96)):
        check(submission, normal(3, width), any_table(3, width))


def test_numbers_of_any_size_are_turned(submission):
    """A padded token of zeros stays one, a pair may have a zero in it, and numbers may be large:
    nothing is divided by a feature or by a length, and nothing is cut off."""
    for scale in (1.0, 1e6):
        x = normal(B, T, D, scale=scale)
        x[:, 1], x[:, 3, :3] = 0, 0
        check(submission, x, any_table(T))


def test_one_token_at_a_time_gives_the_same_as_all_at_once(submission):
    """A text that is written token by token: each is turned alone, at its own offset, and comes
    out as in one call for all."""
    x, table = normal(H, T, D), any_table(T + 2)
    for turn, places in both(submission):
        for t in range(T):
            one = x[:, t : t + 1]
            expected = turned(one, table, places, t)
            right(turn(one, *table, t), one, expected)


def test_the_last_row_may_be_used(submission):
    """Offset and tokens may fill the table to its end: 4 and 5 fit into 9 rows."""
    check(submission, normal(H, T, D), any_table(T + 4), 4)
    check(submission, normal(H, 1, D), any_table(9), 8)


def test_the_result_has_the_dtype_of_x(submission):
    """float64 stays float64 although the table is float32, and float32 stays float32."""
    for dtype in in_any_order(("float64", "float32")):
        check(submission, normal(H, T, D, dtype=dtype), any_table(T + 2), 2, dtype=dtype)


def test_gradients_of_turned_features_are_turned_back(submission):
    """What was turned by an angle has a gradient that is turned by the same angle the other way,
    at the offset of the call: both features of every pair learn, also those of a padded token,
    which are zero, and those of float64."""
    for offset, dtype in ((0, "float32"), (2, "float64")):
        for turn, places in both(submission):
            numbers = numpy(normal(H, T, D))
            numbers[:, 1] = 0
            x, (cos, sin) = given(numbers, dtype=dtype, grad=True), any_table(7)
            expected, got = turned(x, (cos, sin), places, offset), turn(x, cos, sin, offset)
            right(got, x, expected)
            steps = np.linspace(-1, 1, H * T * D).reshape(H, T, D)
            back = turned(steps, (cos, -sin), places, offset)
            equal_gradient(gradients(got, x)[0], back, "`x`")


# pairs_to_halves


def test_features_are_the_last_dimension_whatever_comes_before(submission):
    """One token alone, heads of samples, as many tokens as features: only the last dimension is
    reordered."""
    for shape in ((6,), (4, 6), (6, 6), (B, H, T, 6), (2, 1, B, 1, 2)):
        x = normal(*shape)
        equal(submission.pairs_to_halves(x), reordered(x))


def test_reordered_numbers_keep_their_dtype(submission):
    """Numbers are moved and not computed with: integers that no float can hold, float64, one of
    them infinite, and truth values stay what they are."""
    whole = numpy(normal(3, 10, scale=1e9)).astype("int64") * 2**30 + 1
    parts = whole / 7
    parts[1, 3] = -np.inf
    for dtype, values in (("int64", whole), ("float64", parts), ("bool", whole > 0)):
        x = given(values, dtype=dtype)
        equal(submission.pairs_to_halves(x), given(reordered(x), dtype=dtype), dtype=dtype)


def test_gradients_of_reordered_features_go_back_to_their_places(submission):
    """Each number's gradient goes back to where the number came from."""
    x = normal(T, 6, grad=True)
    got = submission.pairs_to_halves(x)
    equal(got, reordered(x))
    steps = np.linspace(-1, 1, T * 6).reshape(T, 6)
    back = np.empty_like(steps)
    back[:, [0, 2, 4, 1, 3, 5]] = steps
    equal_gradient(gradients(got, x)[0], back, "`x`")


# all that take x


def test_x_need_not_be_contiguous(submission):
    """Heads come out of a transpose, a fused projection is cut into slices, and a sample may be
    expanded: numbers count, wherever they lie in memory."""
    table = any_table(T)
    for x in (
        normal(B, T, H, D).transpose(1, 2),
        normal(B, T, 3 * D)[..., D : 2 * D],
        normal(B, T, 2 * D)[..., 1::2],
        normal(B, D, T).transpose(1, 2),
        normal(1, T, D).expand(B, T, D),
    ):
        check(submission, x, table)
        equal(submission.pairs_to_halves(x), reordered(x))


def test_arguments_stay_as_they_are(submission):
    """x and the table belong to the caller: all layers use one table, and the features before the
    turn may be needed again, whether x has a gradient or not, in each dtype."""
    table = any_table(7)
    for offset, dtype in ((0, "float32"), (2, "float32"), (0, "float64")):
        x = normal(H, T, D, dtype=dtype, grad=offset > 0)
        check(submission, x, table, offset)
        equal(submission.pairs_to_halves(x), reordered(x))
    arguments_kept()


def test_a_call_leaves_nothing_behind(submission):
    """Queries are turned, then keys, in every layer, each with a table and an offset of its own: a
    later call owes nothing to an earlier one, and changes none of its results."""
    first, table = normal(H, T, D), any_table(7)
    kept = [(turn(first, *table), places) for turn, places in both(submission)]
    order = submission.pairs_to_halves(first)
    for shape, offset in (((H, T, D), 0), ((H, T, D), 2), ((H, 1, D), 3), ((B, 3, D), 0)):
        x = normal(*shape)
        check(submission, x, any_table(7), offset)
        check(submission, x, table, offset)
        equal(submission.pairs_to_halves(x), reordered(x))
    for result, places in kept:
        right(result, first, turned(first, table, places))
    equal(order, reordered(first))


# Refusals


def test_an_odd_number_of_features_is_refused(submission):
    """Seven features do not fall into pairs: a ValueError names the number. Six do, and ten."""
    for width in in_any_order((7, 6, one_of(15, 9, 11, 13), 10)):
        if width % 2:
            raises("ValueError", partial(submission.rotation_table, 4, width), mentions=(width,))
        else:
            is_table(submission.rotation_table(4, width), 4, width)


def test_more_tokens_than_rows_are_refused(submission):
    """Eight tokens and a table of seven rows: a ValueError names both numbers. Seven fit."""
    check(submission, normal(B, 7, D), any_table(7))
    refuses(submission, 7, [(8, 0), (one_of(10, 9, 11), 0)])


def test_an_offset_beyond_the_table_is_refused(submission):
    """Five tokens from position 3 on need eight rows, and one token at position 7 does: in a table
    of seven, to repeat the last row, to begin anew or to move back would give two tokens one
    position, without a word. So would the one row that is left for two tokens from position 6 on:
    it fits to both."""
    refuses(submission, 7, [(5, 3), (1, 7), (2, one_of(8, 9)), (2, 6)])
