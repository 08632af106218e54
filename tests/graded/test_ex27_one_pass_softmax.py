"""What attention in tiles is: the parts of one tile, of two together, and of all of them in turn.

T = 5 queries, S = 7 keys, D = 6 features, Dv = 3 features of a value, unless a claim says
otherwise.
"""

import math

import numpy as np

from kata.judging.claims import arguments_kept, equal, has_dtype, has_shape, is_tuple
from kata.judging.inputs import given, in_any_order, keep_mask, normal, nudged, numpy, one_of

PARTS = "(largest, total, mixed)"
LARGEST, TOTAL, MIXED = range(3)


def arguments(queries=5, keys=7, width=6, features=3, dtype=""):
    """Query, key and value."""
    shapes = ((queries, width), (keys, width), (keys, features))
    return [normal(*shape, dtype=dtype) for shape in shapes]


def naive_parts(query, key, value, mask=None):
    """One query at a time, in plain Python floats: its visible scores, their largest, two sums."""
    query, key, value = map(numpy, (query, key, value))
    found = [], [], []
    for row, line in enumerate(query):
        seen = [at for at in range(len(key)) if mask is None or mask[row, at]]
        scores = [float(line @ key[at]) / math.sqrt(len(line)) for at in seen]
        top = max(scores, default=-math.inf)
        powers = [math.exp(score - top) for score in scores]
        mixed = sum(
            (power * value[at] for power, at in zip(powers, seen, strict=True)), 0 * value[0]
        )
        for part, number in zip(found, (top, math.fsum(powers), mixed), strict=True):
            part.append(number)
    return tuple(np.array(part) for part in found)


def naive(query, key, value, mask=None):
    """Attention over all keys at once: zeros where nothing may be seen."""
    _, total, mixed = naive_parts(query, key, value, mask)
    return np.array([row / (share or 1) for row, share in zip(mixed, total, strict=True)])


def same_parts(got, right):
    """All three parts came back and are right."""
    is_tuple(got, 3, PARTS)
    for name, mine, part in zip(("largest", "total", "mixed"), got, right, strict=True):
        equal(mine, part, what=f"`{name}`")


def same_part(got, right, place):
    """This part came back and is right, whatever the others are."""
    is_tuple(got, 3, PARTS)
    equal(got[place], right[place], what=f"`{('largest', 'total', 'mixed')[place]}`")


def halves(query, key, value, mask=None, at=3):
    """The parts of the first keys, and those of the others."""
    front = None if mask is None else mask[:, :at]
    back = None if mask is None else mask[:, at:]
    first = naive_parts(query, key[:at], value[:at], front)
    return first, naive_parts(query, key[at:], value[at:], back)


def exact(scores, dtype=""):
    """Query, key and value with exactly these scores: D is 9, and none of them is rounded."""
    scores = np.asarray(scores, float)
    query, key = np.zeros((len(scores), 9)), np.zeros((scores.shape[1], 9))
    rows = min(len(scores), 9)
    query[:rows, :rows], key[:, :rows] = 3 * np.eye(rows), scores.T
    value = normal(len(key), 3)
    return [given(each, dtype=dtype) for each in (query, key, value)]


def ranked(*tops):
    """Parts of five queries for each tile: three keys, of which one has the score `top`."""
    tiles = [exact([[top - 1.0, top, top - 0.5]] * 5) for top in tops]
    together = [np.concatenate([tile[at] for tile in tiles]) for at in (1, 2)]
    return [naive_parts(*each) for each in tiles], naive_parts(tiles[0][0], *together)


# The idea


# attend_to_tile


def test_a_tile_gives_three_parts_of_their_shapes(submission):
    """largest and total are (T,), without an axis of length one; mixed is (T, Dv)."""
    got = submission.attend_to_tile(*arguments())
    is_tuple(got, 3, PARTS)
    shapes = (5,), (5,), (5, 3)
    for name, each, shape in zip(("largest", "total", "mixed"), got, shapes, strict=True):
        has_shape(each, shape, what=f"`{name}`")


def test_scores_are_divided_by_the_root_of_the_width(submission):
    """√D is the root of the features of a query, and the scores are what is divided by it."""
    for width in in_any_order([2, 9, 16]):
        query, *others = arguments(queries=1, width=width)
        inputs = query.repeat(5, axis=0), *others
        same_part(submission.attend_to_tile(*inputs), naive_parts(*inputs), LARGEST)


def test_each_query_has_its_own_largest_score(submission):
    """largest is the largest of the tile's scores, query · key / √D, one for each query."""
    inputs = arguments()
    same_part(submission.attend_to_tile(*inputs), naive_parts(*inputs), LARGEST)


def test_total_adds_up_the_powers_of_each_query(submission):
    """Each key adds exp(score − largest), so the key with the largest score adds 1."""
    inputs = arguments()
    same_part(submission.attend_to_tile(*inputs), naive_parts(*inputs), TOTAL)


def test_a_tile_gives_the_parts_worked_out_by_hand(submission):
    """Scores log 1, log 2 and log 5 have the powers 1/5, 2/5 and 1 once log 5 is taken away."""
    shares = np.array(in_any_order([1.0, 2.0, 5.0]))
    query, key = given([[2.0, 0.0, 0.0, 0.0]] * 5), given(np.log(shares)[:, None] * np.eye(1, 4))
    value = given([[10.0, 0.0], [20.0, -5.0], [30.0, 40.0]])
    got = submission.attend_to_tile(query, key, value)
    same_parts(got, ([math.log(5)] * 5, [1.6] * 5, [shares @ value / 5] * 5))


def test_mixed_adds_up_values_and_divides_by_nothing(submission):
    """Each key adds exp(score − largest) · value; the division comes after the last tile."""
    inputs = arguments()
    same_part(submission.attend_to_tile(*inputs), naive_parts(*inputs), MIXED)


def test_the_largest_score_may_be_negative(submission):
    """Where all scores are below zero, so is the largest: a zero is not one of them."""
    inputs = exact(nudged([[-2.0, -1.0, -4.0], [-30.0, -31.0, -28.0]], by=0.4))
    same_parts(submission.attend_to_tile(*inputs), naive_parts(*inputs))


def test_scores_of_a_tile_may_be_far_from_zero(submission):
    """Around 99,997 in one row and around −99,997 in the next: no exp overflows or vanishes, since
    the largest score is taken away before."""
    steps = np.array([[0, 1.5, -1, 2], [-2, -2.75, -2.5, -3], [2, 1.75, 0, 0]])
    inputs = exact(steps + np.array([[99997], [-99997], [800.5]]))
    same_parts(submission.attend_to_tile(*inputs), naive_parts(*inputs))


def test_a_mask_hides_keys_of_a_tile(submission):
    """True means that this query may attend to this key; hidden keys are in none of the parts."""
    for shape in in_any_order([(5, 7), (6, 6)]):
        inputs, mask = arguments(*shape), keep_mask(*shape)
        same_parts(submission.attend_to_tile(*inputs, mask), naive_parts(*inputs, mask))


# merge


def test_merge_gives_the_parts_worked_out_by_hand(submission):
    """A sum made with the largest score 0 is halved when log 2 turns up, which is larger."""
    few, more = (0.0, 1.5, [5.0, 2.0]), (math.log(2), 1.25, [8.0, -3.0])
    first, second = (tuple(given([part] * 5) for part in each) for each in (few, more))
    right = [math.log(2)] * 5, [2.0] * 5, [[10.5, -2.0]] * 5
    same_parts(submission.merge(first, second), right)


def test_merge_scales_the_second_if_the_first_is_larger(submission):
    """It is not always the earlier tile that is scaled: the next one may have lower scores."""
    (first, second), right = ranked(3.0, 1.5)
    same_parts(submission.merge(first, second), right)


def test_merge_keeps_the_larger_of_both_largest_scores(submission):
    """For each query the largest score of two tiles is the larger one of theirs."""
    inputs = arguments()
    same_part(submission.merge(*halves(*inputs)), naive_parts(*inputs), LARGEST)


def test_merge_scales_both_totals_to_the_larger_score(submission):
    """Totals were made with different largest scores: each is scaled before they are added."""
    inputs = arguments()
    same_part(submission.merge(*halves(*inputs)), naive_parts(*inputs), TOTAL)


def test_merge_scales_both_mixed_values_like_the_totals(submission):
    """Every total and every row of mixed belongs to one query, and has the same scale."""
    inputs = arguments()
    same_part(submission.merge(*halves(*inputs)), naive_parts(*inputs), MIXED)


def test_merge_takes_equal_largest_scores_as_they_are(submission):
    """Two tiles with the same largest score are added up: both scales are 1."""
    (first, second), right = ranked(2.5, 2.5)
    same_parts(submission.merge(first, second), right)


def test_merge_of_scores_far_apart_overflows_nowhere(submission):
    """One tile may be 199,980 above the other: exp is taken of numbers up to zero only."""
    rows = [[99990.5, 99989.0, -99990.0, -99989.0], [-99990.0, -99991.0, 99990.5, 99989.0]]
    far = [[99990.5, 99989.0, 99991.5, 99990.0], [-99990.5, -99991.0, -99989.0, -99990.0]]
    inputs = exact([*rows, *far, [0.0, -1.0, 800.0, 799.0]])
    same_parts(submission.merge(*halves(*inputs, at=2)), naive_parts(*inputs))


# tiled_attention


def test_the_output_has_a_row_for_each_query(submission):
    """The output comes alone, without the parts: (T, Dv)."""
    has_shape(submission.tiled_attention(*arguments(keys=8), 3), (5, 3))


def test_tiled_attention_gives_the_mixture_worked_out_by_hand(submission):
    """Four keys score alike, so the output is the mean of their values, in two tiles too."""
    query, key = given(np.ones((5, 6))), given(np.zeros((4, 6)))
    value = given(in_any_order([[1.0, -5.0], [2.0, 0.0], [6.0, 1.0], [3.0, 2.0]]))
    equal(submission.tiled_attention(query, key, value, 2), [[3.0, -0.5]] * 5)


def test_tiles_that_divide_the_keys_give_attention(submission):
    """Six keys in two tiles of three, or three of two, give what all six give at once."""
    inputs = arguments(keys=6, width=7)
    for tile in (3, 2):
        equal(submission.tiled_attention(*inputs, tile), naive(*inputs))


def test_the_last_tile_may_have_fewer_keys(submission):
    """Eight keys in tiles of three leave two over: they count like the others."""
    inputs = arguments(keys=8)
    for tile in (3, 5, 6):
        equal(submission.tiled_attention(*inputs, tile), naive(*inputs))


def test_scores_may_rise_or_fall_from_tile_to_tile(submission):
    """The largest score may come first, last or in between, and be far from zero."""
    steps = [[0, 1, 2, 3, 4, 5], [5, 4, 3, 2, 1, 0], [0, 3, 1, 4, 2, 1], [-3, 0, 5, 9, 4, 2]]
    inputs = exact(steps * np.array([[1], [1], [0.5], [10000]]) + [[99990], [-99990], [-3], [0]])
    for tile in (2, 3):
        equal(submission.tiled_attention(*inputs, tile), naive(*inputs))


def test_each_tile_gets_its_own_part_of_the_mask(submission):
    """Column 5 of the mask is about key 5, in whichever tile that is."""
    inputs, mask = arguments(keys=8), keep_mask(5, 8)
    mask[:, [0, 3, 6]] = True  # no tile of three is hidden as a whole
    for tile in (3, 8):
        equal(submission.tiled_attention(*inputs, tile, mask), naive(*inputs, mask))


# The fine print


# attend_to_tile


def test_large_scores_of_a_tile_keep_their_digits(submission):
    """Scores around 99,997 and −99,997 that are no whole numbers: float32 could not hold them."""
    steps = np.array([[0, 1.3, -1.1, 2], [-2, -2.7, -2.6, -2.9], [2, 1.7, 0, 0]])
    inputs = exact(steps + np.array([[99997.003], [-99997.003], [800.7]]))
    same_parts(submission.attend_to_tile(*inputs), naive_parts(*inputs))


def test_scores_of_a_row_may_be_far_apart(submission):
    """Within one row scores may lie 190,000 apart: the largest is then the only one that counts.
    690 below it is not nothing: an enormous value still shows."""
    apart = [[95000.0, 0.0, -95000.0], [-95000.0, 95000.0, 94999.0], [1.0, 2.0, -800.0]]
    inputs = exact([*apart, [nudged(-687.0, 1), 2.0, 1.5]])
    inputs[2][0] = 1e300  # times exp(−689) it is 6; times exp(−95,000) nothing
    same_parts(submission.attend_to_tile(*inputs), naive_parts(*inputs))


def test_a_hidden_key_has_no_influence_on_a_tile(submission):
    """Its score may be the largest by far and its value enormous: the others decide alone."""
    query, key, value = exact([[1.0, 2.0, 99000.0], [0.5, -1.0, 3.0]])
    value[2] = 1e30
    mask = given([[True, True, False], [True, True, False]])
    got = submission.attend_to_tile(query, key, value, mask)
    same_parts(got, naive_parts(query, key, value, mask))


def test_a_query_without_keys_has_minus_infinity_and_zeros(submission):
    """Nothing was seen: the largest score is −inf, both sums are 0, and no number is NaN."""
    inputs, mask = arguments(), keep_mask(5, 7)
    mask[1] = mask[4] = False
    same_parts(submission.attend_to_tile(*inputs, mask), naive_parts(*inputs, mask))


def test_a_whole_tile_may_be_hidden(submission):
    """A causal mask hides whole tiles from all queries at once, also tiles of one key."""
    for keys in (7, 1):
        inputs, mask = arguments(keys=keys), given(np.zeros((5, keys), bool))
        same_parts(submission.attend_to_tile(*inputs, mask), naive_parts(*inputs, mask))


def test_visible_scores_may_be_below_any_stand_in_for_hidden_ones(submission):
    """−10,000 is no stand-in for −inf: visible scores of −99,990 still win against hidden ones."""
    rows = [[-99990.0, -99992.0, 1.0, -99991.0], [-49999.0, 3.0, -50002.0, -50001.0]]
    inputs = exact([*rows, [-99999.0, -99998.5, 99999.0, -99999.0]])
    mask = given([[True, True, False, True], [True, False, True, True], [True, True, False, True]])
    same_parts(submission.attend_to_tile(*inputs, mask), naive_parts(*inputs, mask))


def test_sizes_of_one_and_equal_sizes_are_nothing_special(submission):
    """As many queries as keys or features, or one of them: no length says what an axis is."""
    for sizes in in_any_order(
        [(3, 3, 3, 3), (6, 7, 6, 6), (5, 5, 2, 7), (1, 1, 1, 1), (5, 7, 6, 1), (1, 7, 6, 3)]
    ):
        inputs = arguments(*sizes)
        same_parts(submission.attend_to_tile(*inputs), naive_parts(*inputs))


# merge


def test_merge_keeps_the_digits_of_large_scores(submission):
    """Largest scores near 99,990 that are 0.9 apart: float32 could not hold them so exactly."""
    inputs = exact([[99990.3, 99989.0, 99991.2, 99990.0], [-99990.3, -99991.0, -99989.2, -99990.0]])
    same_parts(submission.merge(*halves(*inputs, at=2)), naive_parts(*inputs))


def test_merge_keeps_a_low_tile_of_enormous_values(submission):
    """A tile 690 below the other is not nothing: an enormous value still shows."""
    inputs = exact([[0.0, -1.0, 800.0, 799.0], [0.0, -1.0, -690.0, -691.0]])
    inputs[2][2] = 1e300  # times exp(−690) it is 2
    for queries in (slice(None), slice(1, 2)):
        these = (inputs[0][queries], *inputs[1:])
        same_parts(submission.merge(*halves(*these, at=2)), naive_parts(*these))


def test_merge_does_not_confuse_queries_and_features(submission):
    """As many features in a value as queries: a scale still belongs to a query, a row of mixed."""
    for size in in_any_order([3, 5, 1]):
        inputs = arguments(queries=size, features=size)
        same_parts(submission.merge(*halves(*inputs)), naive_parts(*inputs))


def test_merge_adds_nothing_where_one_side_saw_nothing(submission):
    """−inf, 0 and zeros change nothing, whichever side they stand on, also far below zero."""
    scores = [[-99990.0, -99991.0, 1.0, 2.0], [1.0, 2.0, -60000.0, -60001.0], [1.0, 2.0, 3.0, 4.0]]
    inputs = exact(scores)
    mask = given(
        [[True, True, False, False], [False, False, True, True], [True, True, True, False]]
    )
    right = naive_parts(*inputs, mask)
    first, second = halves(*inputs, mask, at=2)
    same_parts(submission.merge(first, second), right)
    same_parts(submission.merge(second, first), right)


def test_merge_of_nothing_and_nothing_is_nothing(submission):
    """−inf minus −inf is NaN; what comes back is −inf, 0 and a row of zeros all the same."""
    inputs, mask = arguments(), keep_mask(5, 7)
    mask[2] = mask[3] = False
    same_parts(submission.merge(*halves(*inputs, mask)), naive_parts(*inputs, mask))


def test_a_tile_whose_values_are_zeros_still_counts(submission):
    """Zeros are values like others: they add nothing to mixed, and their powers add to total."""
    inputs = arguments()
    for those in in_any_order([slice(3), slice(3, None)]):
        query, key, value = (each.copy() for each in inputs)
        value[those] = 0
        same_parts(submission.merge(*halves(query, key, value)), naive_parts(query, key, value))


# tiled_attention


def test_the_output_does_not_confuse_queries_and_features(submission):
    """As many features in a value as queries: a total still belongs to a query, a row."""
    for size in in_any_order([3, 5]):
        inputs = arguments(queries=size, features=size)
        equal(submission.tiled_attention(*inputs, 3), naive(*inputs))


def test_a_query_may_see_nothing_in_the_first_tiles(submission):
    """A window further on starts with tiles that are hidden: what comes later still counts."""
    inputs = exact([[3.0, 2.0, 1.0, 0.0, -2.0, -1.0, -3.0]] * 3)
    mask = given([[key >= start for key in range(7)] for start in (4, 6, 0)])
    for tile in (2, 1, 3):
        equal(submission.tiled_attention(*inputs, tile, mask), naive(*inputs, mask))


def test_a_tile_may_have_as_many_keys_as_there_are_or_more(submission):
    """One tile then holds all keys, and there is nothing to merge."""
    for keys, tile in ((7, 7), (7, 8), (7, 50), (1, 1), (1, 4)):
        inputs = arguments(keys=keys)
        equal(submission.tiled_attention(*inputs, tile), naive(*inputs))


def test_a_query_that_sees_nothing_at_all_gets_zeros(submission):
    """There is nothing to mix: its output is zeros and not NaN, and the other rows are right."""
    inputs, mask = arguments(), keep_mask(5, 7)
    mask[0] = mask[3] = False
    for tile in (3, 1, 8):
        equal(submission.tiled_attention(*inputs, tile, mask), naive(*inputs, mask))


def test_nobody_may_see_anything(submission):
    """Where the mask hides all keys from all queries, every row of the output is zeros, (T, Dv)."""
    for tile in in_any_order([3, 7, 8]):
        inputs, mask = arguments(), given(np.zeros((5, 7), bool))
        equal(submission.tiled_attention(*inputs, tile, mask), np.zeros((5, 3)))


def test_float32_stays_float32(submission):
    """The output has the dtype of the inputs, whatever the parts are made in, also where tiles are
    hidden as a whole."""
    inputs, mask = arguments(dtype="float32"), keep_mask(5, 7)
    mask[2] = False
    gap = mask.copy()
    gap[:, 3:6] = False
    for tile in (3, 7):
        for seen in (None, mask, gap, np.zeros_like(mask)):
            got = submission.tiled_attention(*inputs, tile, seen)
            equal(got, naive(*inputs, seen), dtype="float32")


def test_float64_stays_float64(submission):
    """Inputs in double precision get an output in double precision."""
    inputs, mask = arguments(dtype="float64"), keep_mask(5, 7)
    for seen in (None, mask):
        got = submission.tiled_attention(*inputs, 3, seen)
        has_dtype(got, "float64")
        equal(got.astype("float32"), naive(*inputs, seen))


def test_one_query_gets_one_row(submission):
    """A single query is one of T like others: (1, Dv), in one tile or in several."""
    for tile in (7, 3):
        inputs = arguments(queries=1)
        equal(submission.tiled_attention(*inputs, tile), naive(*inputs))


def test_a_low_tile_may_have_enormous_values(submission):
    """Tiles 690 below the others are not nothing, first or last; tiles 90,000 below them are."""
    for scores in ([0.0, 1.0, -689.0], [-689.0, 1.0, 0.0], [-90000.0, 1.0, 0.0]):
        inputs = exact([scores])
        inputs[2][np.argmin(scores)] = 1e300  # times exp(−690) it is 2
        for tile in (1, 2):
            equal(submission.tiled_attention(*inputs, tile), naive(*inputs))


def test_a_causal_mask_hides_later_keys(submission):
    """Query 0 sees key 0 alone: tiles after the first give it nothing."""
    inputs, mask = arguments(7, 7), given(np.tri(7, dtype=bool))
    for tile in (2, 3, 7):
        equal(submission.tiled_attention(*inputs, tile, mask), naive(*inputs, mask))


def test_a_hidden_key_has_no_influence_on_the_output(submission):
    """In whichever tile it is, its score may be the largest by far and its value enormous."""
    inputs = exact([[-99990.3, -99991.0, 99999.0, -99990.0, 2.0], [0.5, -1.0, 3.0, 99000.0, 1.0]])
    inputs[2][2] = 1e30
    mask = given([[True, True, False, True, False], [True, True, False, False, True]])
    for tile in (2, 1, 4):
        equal(submission.tiled_attention(*inputs, tile, mask), naive(*inputs, mask))


def test_many_tiles_are_merged(submission):
    """More than a thousand keys are nothing special: each counts, also as a tile of its own."""
    inputs = arguments(queries=2, keys=one_of(300, 290, 310))
    right = naive(*inputs)
    for tile in (9, 64, 128):
        equal(submission.tiled_attention(*inputs, tile), right)
    inputs = arguments(queries=1, keys=one_of(1030, 1040))
    equal(submission.tiled_attention(*inputs, 1), naive(*inputs))


# All three


def test_parts_may_be_float32(submission):
    """Parts of float32 are made and merged like others, those of queries that saw nothing, too, and
    with scores far from zero."""
    inputs, mask = arguments(dtype="float32"), keep_mask(5, 7)
    mask[1] = mask[3, :3] = mask[4, 3:] = False
    right = naive_parts(*inputs, mask)
    same_parts(submission.attend_to_tile(*inputs, mask), right)
    parts = [[given(part, dtype="float32") for part in half] for half in halves(*inputs, mask)]
    same_parts(submission.merge(*map(tuple, parts)), right)
    inputs = exact([[-99990.0, 1.0, -99993.0], [2.0, 99990.0, 1.0]], dtype="float32")
    mask = given([[True, False, True], [True, False, True]])
    same_parts(submission.attend_to_tile(*inputs, mask), naive_parts(*inputs, mask))


def test_arrays_may_be_views_in_another_order(submission):
    """Transposed arrays and every second row lie elsewhere in memory, with the same numbers."""
    query, key, value = normal(10, 6)[::2], normal(6, 7).T, normal(3, 7).T
    mask = keep_mask(7, 5).T
    right = naive_parts(query, key, value, mask)
    same_parts(submission.attend_to_tile(query, key, value, mask), right)
    got = submission.tiled_attention(query, key, value, 3, mask)
    equal(got, naive(query, key, value, mask))
    halved = [
        (largest.repeat(2)[::2], total[::-1].copy()[::-1], np.asfortranarray(mixed))
        for largest, total, mixed in halves(query, key, value, mask)
    ]
    same_parts(submission.merge(*halved), right)


def test_arguments_can_be_given_by_name(submission):
    """query, key, value, tile and mask have names, and callers use them."""
    (query, key, value), mask = arguments(), keep_mask(5, 7)
    named = {"query": query, "key": key, "value": value, "mask": mask}
    same_parts(submission.attend_to_tile(**named), naive_parts(query, key, value, mask))
    equal(submission.tiled_attention(tile=3, **named), naive(query, key, value, mask))
    first, second = halves(query, key, value)
    same_parts(submission.merge(second=second, first=first), naive_parts(query, key, value))


def test_arguments_stay_as_they_are(submission):
    """Arrays, parts and masks belong to the caller: none is changed."""
    inputs, mask = arguments(), keep_mask(5, 7)
    mask[3] = mask[:, 2] = False
    for seen in (None, mask):
        right = naive_parts(*inputs, seen)
        same_parts(submission.attend_to_tile(*inputs, seen), right)
        first, second = halves(*inputs, seen)
        same_parts(submission.merge(first, second), right)
        same_parts(submission.merge(second, first), right)
        equal(submission.tiled_attention(*inputs, 3, seen), naive(*inputs, seen))
    (low, high), right = ranked(1.5, 3.0)
    nothing = tuple(given(part) for part in ([-np.inf] * 5, [0.0] * 5, np.zeros((5, 3))))
    for first, second in ((low, high), (high, low)):
        same_parts(submission.merge(first, second), right)
    same_parts(submission.merge(nothing, high), high)
    same_parts(submission.merge(high, nothing), high)
    arguments_kept()


def test_earlier_results_stay_as_they_are(submission):
    """A later call with other numbers changes no result that was returned before."""
    inputs, later = arguments(), arguments()
    parts, merged = submission.attend_to_tile(*inputs), submission.merge(*halves(*inputs))
    output = submission.tiled_attention(*inputs, 3)
    submission.merge(submission.attend_to_tile(*later), merged)
    submission.tiled_attention(*later, 3)
    same_parts(parts, naive_parts(*inputs))
    same_parts(merged, naive_parts(*inputs))
    equal(output, naive(*inputs), what="the first output")
