"""What multi-head attention is in NumPy: every head attends by itself, with its own features.

E = 18 features, H = 3 heads of D = 6, unless a claim says otherwise.
"""

from functools import partial

import numpy as np

from kata.judging.claims import arguments_kept, equal, has_shape, raises
from kata.judging.inputs import given, in_any_order, keep_mask, normal, numpy, one_of

# Four tokens of eight features and two heads of four, all drawn from one seed, and what comes out.
FIGURES = [
    [9.19301463, 10.44328382, 9.2244454, 8.05737673,
     10.98670376, 9.43520132, 10.65160547, 9.78990228],
    [9.10985062, 10.36255368, 9.14890231, 7.99563435,
     10.88414448, 9.35370385, 10.56035521, 9.70807359],
    [9.21809014, 10.45357218, 9.24102286, 8.0718153,
     11.01227309, 9.45719822, 10.66877882, 9.80798268],
    [9.05051238, 10.29643008, 9.09708768, 7.94442927,
     10.80930673, 9.29190295, 10.48942527, 9.64204537],
]  # fmt: skip


def numbered(samples, tokens, features):
    """Numbers that say where they stand: 10203 is sample 1, token 2, feature 3."""
    sample, token, feature = np.ogrid[:samples, :tokens, :features]
    return given(10000.0 * sample + 100.0 * token + feature)


# Tokens, heads and features in a graded run, all different, as are samples and features of a head.
OTHER_SIZES = ((7, 3, 18), (8, 3, 15), (7, 5, 20), (4, 5, 15), (7, 4, 20), (8, 5, 30), (3, 4, 24))


def sizes():
    """Tokens, heads and features."""
    return one_of((5, 3, 18), *OTHER_SIZES)


def naive_split(x, heads):
    """One feature at a time: feature h·D + d goes to head h, place d."""
    samples, tokens, features = x.shape
    width = features // heads
    parts = np.empty((samples, heads, tokens, width), x.dtype)
    for feature in range(features):
        parts[:, feature // width, :, feature % width] = x[:, :, feature]
    return parts


# Samples, tokens and features, two of which are equal, or one equal to the heads or their width.
EQUAL_LENGTHS = ((2, 3, 18), (3, 5, 18), (2, 6, 18), (2, 5, 9), (3, 3, 9))


def random_weights(width=18):
    """Queries, keys, values and output: four matrices, used as x @ w."""
    return [normal(width, width, scale=width**-0.5) for _ in range(4)]


def naive(x, weights, heads=3, mask=None):
    """One head of one sample at a time, all in float64."""
    x, w_query, w_key, w_value, w_out = map(numpy, (x, *weights))
    samples, tokens, features = x.shape
    seen = np.ones(1, bool) if mask is None else mask
    seen = seen[:, None] if seen.ndim == 3 else seen
    seen = np.broadcast_to(seen, (samples, heads, tokens, tokens))
    merged, width = np.empty(x.shape), features // heads
    for sample, head in np.ndindex(samples, heads):
        block = np.s_[:, width * head : width * head + width]
        query, key, value = (x[sample] @ w[block] for w in (w_query, w_key, w_value))
        scores = np.where(seen[sample, head], query @ key.T / width**0.5, -np.inf)
        powers = np.exp(scores - scores.max(1)[:, None])
        merged[sample][block] = powers @ value / powers.sum(1)[:, None]
    return merged @ w_out


def lone_axes():
    """Arrays, each with a number of heads: a lone head, or as many heads as features."""
    features = one_of(6, 4, 5, 7, 8, 9)
    for lengths in in_any_order(((2, 5), (1, 1))):
        x = numbered(*lengths, features)
        for heads in in_any_order((1, features)):
            yield x, heads


def far_from_zero(offsets, steps):
    """Two heads whose scores are, for each query, an offset plus whole steps from key to key.

    Nothing of that is rounded, not even in single precision. Head 1 has its steps negated.
    """
    x, weights = normal(2, 5, 18), random_weights()
    x[:, :, 0] = offsets
    x[:, :, 1] = 3  # the root of nine features a head
    x[:, :, 2] = [[0, 1, -1, 2, 0], [2, 0, 0, -2, 1]]
    w_query, w_key, w_value = np.zeros((18, 18)), np.zeros((18, 18)), weights[2]
    w_query[0, ::9] = w_key[1, ::9] = 1
    w_query[1, 1::9], w_key[2, 1::9] = (steps, -steps), 1
    w_value[0] = 0
    return x, [w_query, w_key, w_value, weights[3]]


# The idea


# split_heads


def test_split_gives_each_head_a_block_of_features(submission):
    """Head 0 gets the first D features, head 1 the next D: with one token there is nothing else."""
    x = given([[in_any_order([0.0, 1.0, 2.0, 3.0, 4.0, 5.0])]])
    equal(submission.split_heads(x, 3), x.reshape(1, 3, 1, 2))


def test_split_gives_each_head_every_token(submission):
    """Token 2 is token 2 in every head: 203 is feature 3 of token 2, and stays with its token."""
    tokens, heads, features = sizes()
    x = numbered(1, tokens, features)
    equal(submission.split_heads(x, heads), naive_split(x, heads))


def test_split_keeps_samples_apart(submission):
    """The heads of a sample hold numbers of that sample: 10203 is of sample 1, and stays there."""
    tokens, heads, features = sizes()
    x = numbered(2, tokens, features)
    equal(submission.split_heads(x, heads), naive_split(x, heads))


def test_split_does_not_confuse_axes_of_equal_length(submission):
    """As many tokens as heads, samples or features in a head: no length says what an axis is."""
    for lengths in in_any_order(EQUAL_LENGTHS):
        x = numbered(*lengths)
        equal(submission.split_heads(x, 3), naive_split(x, 3))


# merge_heads


def test_merge_puts_the_heads_side_by_side(submission):
    """First all features of head 0, then those of head 1: with one token there is nothing else."""
    x = given(in_any_order([0.0, 1.0, 2.0, 3.0, 4.0, 5.0])).reshape(1, 3, 1, 2)
    equal(submission.merge_heads(x), x.reshape(1, 1, 6))


def test_merge_joins_what_belongs_to_one_token(submission):
    """A row of the result holds one token: 203 is feature 3 of token 2, and comes back to row 2."""
    tokens, heads, features = one_of((5, 2, 18), *OTHER_SIZES)
    x = numbered(1, tokens, features)
    equal(submission.merge_heads(naive_split(x, heads)), x)


def test_merge_keeps_samples_apart(submission):
    """What comes back of a sample is made of its own heads: 10203 is of sample 1."""
    tokens, heads, features = sizes()
    x = numbered(2, tokens, features)
    equal(submission.merge_heads(naive_split(x, heads)), x)


def test_merge_does_not_confuse_axes_of_equal_length(submission):
    """As many tokens as heads, samples or features in a head: no length says what an axis is."""
    for lengths in in_any_order(EQUAL_LENGTHS):
        x = numbered(*lengths)
        equal(submission.merge_heads(naive_split(x, 3)), x)


# multi_head_attention


def test_an_output_of_the_shape_of_x_comes_back(submission):
    """The output comes alone, and has the shape of x: a next layer can take it as it is."""
    shape = one_of(2, 3, 4), one_of(5, 2, 3, 4, 7, 8, 9), 18
    x, weights = normal(*shape), random_weights()
    has_shape(submission.multi_head_attention(x, *weights, 3), shape)


def test_equal_scores_give_the_mean_value(submission):
    """Keys that are all zero score alike, so every token gets the mean of its sample's values."""
    x, weights = normal(2, 5, 18), random_weights()
    right = np.broadcast_to(x.mean(1, keepdims=True) @ weights[2] @ weights[3], x.shape)
    weights[1] = np.zeros((18, 18))
    equal(submission.multi_head_attention(x, *weights, 3), right)


def test_seed_zero_gives_the_published_figures(submission):
    """Four tokens of eight features drawn from seed 0 give 32 figures of a published example."""
    uniform = np.random.RandomState(0).rand  # the stream that numpy.random.seed(0) starts
    x, weights = uniform(1, 4, 8), [uniform(8, 8) for _ in range(4)]
    # A batch of two: the same tokens, maybe in two orders, and their figures in the same ones.
    orders = [in_any_order(range(4)) for _ in range(2)]
    equal(submission.multi_head_attention(x[0, orders], *weights, 2), np.array(FIGURES)[orders])


def test_attention_is_right_where_all_sizes_differ(submission):
    """Two samples, three heads, five tokens, six features each: nothing fits by accident."""
    x, weights = normal(2, 5, 18), random_weights()
    equal(submission.multi_head_attention(x, *weights, 3), naive(x, weights))


def test_a_causal_mask_hides_later_tokens(submission):
    """Under a mask (S, S) each token attends where its row is True, in every sample and head: to
    the tokens up to itself, or to the last two of them."""
    x, weights = normal(2, 5, 18), random_weights()
    for window in (5, 2):
        mask = given([[query - window < key <= query for key in range(5)] for query in range(5)])
        got = submission.multi_head_attention(x, *weights, 3, mask)
        equal(got, naive(x, weights, mask=mask))


def test_a_padding_mask_hides_keys(submission):
    """A mask (B, 1, S) hides padded tokens as keys, from every query of their sample."""
    x, weights = normal(2, 5, 18), random_weights()
    mask = given([[[True] * 3 + [False] * 2], [[True] * 4 + [False]]])
    got = submission.multi_head_attention(x, *weights, 3, mask=mask)
    equal(got, naive(x, weights, mask=mask))


def test_each_sample_has_its_own_mask(submission):
    """A mask (B, S, S) belongs to samples, not to heads, also if there are as many of both."""
    for samples in (2, 3):
        x, weights, mask = normal(samples, 5, 18), random_weights(), keep_mask(samples, 5, 5)
        got = submission.multi_head_attention(x, *weights, 3, mask)
        equal(got, naive(x, weights, mask=mask))


def test_each_head_has_its_own_mask(submission):
    """In a mask (B, H, S, S) the second axis is that of the heads."""
    x, weights, mask = normal(2, 5, 18), random_weights(), keep_mask(2, 3, 5, 5)
    got = submission.multi_head_attention(x, *weights, 3, mask)
    equal(got, naive(x, weights, mask=mask))


# The fine print


# split_heads


def test_split_reads_a_transposed_array_like_a_copy(submission):
    """What came tokens or features first is out of order in memory; 203 is still token 2."""
    tokens, heads, features = sizes()
    for axes in ((1, 0, 2), (0, 2, 1), (2, 1, 0)):  # in memory, from the slowest to the fastest
        x = numbered(2, tokens, features).transpose(axes).copy().transpose(axes)
        equal(submission.split_heads(x, heads), naive_split(x, heads))


def test_split_gives_four_dimensions_for_any_number_of_heads(submission):
    """Dimensions of length one stay: there are always four of them."""
    for x, heads in lone_axes():
        equal(submission.split_heads(x, heads), naive_split(x, heads))


# merge_heads


def test_merge_reads_a_transposed_array_like_a_copy(submission):
    """A transpose leaves heads out of order in memory; 203 is still token 2, feature 3."""
    tokens, heads, features = sizes()
    x = numbered(2, tokens, features)
    for axes in ((0, 2, 1, 3), (0, 1, 3, 2), (3, 1, 2, 0)):  # in memory, slowest to fastest
        parts = naive_split(x, heads).transpose(axes).copy().transpose(axes)
        equal(submission.merge_heads(parts), x)


def test_merge_gives_three_dimensions_for_any_number_of_heads(submission):
    """Dimensions of length one stay, apart from that of the heads: there are always three."""
    for x, heads in lone_axes():
        equal(submission.merge_heads(naive_split(x, heads)), x)


# multi_head_attention


def test_arguments_can_be_given_by_name(submission):
    """Queries, keys, values, output: each matrix has a name, and callers use it."""
    x, weights = normal(2, 5, 18), random_weights()
    names = ("w_query", "w_key", "w_value", "w_out")
    named = dict(zip(names, weights, strict=True))
    equal(submission.multi_head_attention(x=x, num_heads=3, **named), naive(x, weights))


def test_float32_arrays_are_accepted(submission):
    """float32 is a float too, for tokens and weights."""
    x, mask = normal(2, 5, 18, dtype="float32"), keep_mask(2, 5, 5)
    weights = [each.astype("float32") for each in random_weights()]
    got = submission.multi_head_attention(x, *weights, 3, mask)
    equal(got, naive(x, weights, mask=mask))


def test_scores_far_from_zero_do_not_overflow(submission):
    """Scores around 9,998 in one row and around −9,998 in the next: no exp overflows."""
    x, weights = far_from_zero(offsets=[-9998, 0, 9998, 800, -800], steps=1)
    equal(submission.multi_head_attention(x, *weights, 2), naive(x, weights, heads=2))


def test_one_score_far_above_the_others_takes_all_the_weight(submission):
    """Within one row scores may lie thousands apart: the largest then takes all the weight."""
    x, weights = far_from_zero(offsets=0, steps=3000)
    equal(submission.multi_head_attention(x, *weights, 2), naive(x, weights, heads=2))


def test_masks_hide_keys_among_scores_far_from_zero(submission):
    """Where all scores of a query are around −9,998, its hidden keys stay hidden."""
    x, weights = far_from_zero(offsets=-9998, steps=1)
    mask = keep_mask(2, 5, 5)
    got = submission.multi_head_attention(x, *weights, 2, mask)
    equal(got, naive(x, weights, heads=2, mask=mask))


def test_hidden_keys_have_no_influence(submission):
    """A hidden score may be the largest, far above the others, and its value may be enormous."""
    x, weights = far_from_zero(offsets=0, steps=9999)
    weights[0][0], weights[2][0] = 0, 1  # feature 0 affects values, and no scores
    x[:, :, 2] = -1
    x[:, 3, 2], x[:, 3, 0] = 1, 1e30
    mask = given([[True, True, True, False, True]])
    got = submission.multi_head_attention(x, *weights, 2, mask)
    equal(got, naive(x, weights, heads=2, mask=mask))


def test_tokens_weights_and_mask_may_be_transposed_views(submission):
    """Tokens, weights and mask may be views that lie in memory in another order."""
    x, weights, mask = normal(5, 2, 18), random_weights(), keep_mask(5, 2, 5)
    x, weights, mask = x.swapaxes(0, 1), [each.T for each in weights], mask.swapaxes(0, 1)
    got = submission.multi_head_attention(x, *weights, 3, mask)
    equal(got, naive(x, weights, mask=mask))


def test_one_token_gets_its_own_value(submission):
    """A lone token has the weight 1: only the projections of values and output are at work."""
    for samples in (2, 1):
        x, weights = normal(samples, 1, 18), random_weights()
        right = numpy(x) @ weights[2] @ weights[3]
        equal(submission.multi_head_attention(x, *weights, 3), right)


def test_slices_and_scale_follow_the_number_of_heads(submission):
    """The same weights serve one head of 18 features or 18 heads of one; the scale is its √D."""
    x, weights = normal(2, 5, 18), random_weights()
    for heads in (1, 2, 9, 18):
        got = submission.multi_head_attention(x, *weights, heads)
        equal(got, naive(x, weights, heads))


def test_attention_does_not_confuse_axes_of_equal_length(submission):
    """As many tokens as samples, heads or features in a head: no length says what an axis is."""
    for samples, tokens, width in ((2, 3, 18), (3, 5, 18), (2, 6, 18), (3, 3, 9), (2, 18, 18)):
        x, weights = normal(samples, tokens, width), random_weights(width)
        equal(submission.multi_head_attention(x, *weights, 3), naive(x, weights))


def test_a_single_head_obeys_a_mask(submission):
    """A mask (S, S) or (B, S, S) hides keys from a single head as from many."""
    x, weights = normal(2, 5, 18), random_weights()
    for shape in ((5, 5), (2, 5, 5)):
        mask = keep_mask(*shape)
        got = submission.multi_head_attention(x, *weights, 1, mask)
        equal(got, naive(x, weights, heads=1, mask=mask))


def test_a_mask_with_sizes_of_one_broadcasts(submission):
    """Any size of a mask may be 1: it then serves all samples, heads or queries."""
    x, weights = normal(2, 5, 18), random_weights()
    for shape in ((1, 5), (1, 5, 5), (1, 3, 5, 5), (2, 1, 5, 5), (2, 1, 1, 5), (2, 3, 1, 5)):
        mask = keep_mask(*shape)
        got = submission.multi_head_attention(x, *weights, 3, mask)
        equal(got, naive(x, weights, mask=mask))


def test_masks_mean_the_same_where_all_sizes_are_equal(submission):
    """How many dimensions a mask has says what it means, also where B = H = S."""
    for samples, width in ((5, 18), (3, 9)):
        x, weights = normal(samples, samples, width), random_weights(width)
        for shape in ((samples,) * 2, (samples,) * 3):
            mask = keep_mask(*shape)
            got = submission.multi_head_attention(x, *weights, 3, mask)
            equal(got, naive(x, weights, mask=mask))


def test_a_token_can_attend_to_one_far_away(submission):
    """Every token may look at every other one, however far away it is."""
    x, weights, mask = normal(1, 130, 18), random_weights(), keep_mask(130, 130)
    equal(submission.multi_head_attention(x, *weights, 3), naive(x, weights))
    got = submission.multi_head_attention(x, *weights, 3, mask)
    equal(got, naive(x, weights, mask=mask))


# all functions


def test_arguments_stay_as_they_are(submission):
    """Tokens, heads, weights and masks belong to the caller: none is changed."""
    x, weights = normal(2, 5, 18), random_weights()
    for heads in (3, 1):
        parts = submission.split_heads(x, heads)
        equal(parts, naive_split(x, heads))
        equal(submission.merge_heads(parts), x)
    equal(submission.multi_head_attention(x, *weights, 3), naive(x, weights))
    for shape in ((5, 5), (2, 5, 5), (2, 3, 5, 5)):
        mask = keep_mask(*shape)
        got = submission.multi_head_attention(x, *weights, 3, mask)
        equal(got, naive(x, weights, mask=mask))
    arguments_kept()


def test_earlier_results_stay_as_they_are(submission):
    """A later call with other numbers changes no result that was returned before."""
    x, later, weights = normal(2, 5, 18), normal(2, 5, 18), random_weights()
    parts, output = submission.split_heads(x, 3), submission.multi_head_attention(x, *weights, 3)
    merged = submission.merge_heads(parts)
    submission.merge_heads(submission.split_heads(later, 3))
    submission.multi_head_attention(later, *weights, 3)
    equal(parts, naive_split(x, 3), what="the first result of split_heads")
    equal(merged, x, what="the first result of merge_heads")
    equal(output, naive(x, weights), what="the first output")


def test_a_call_remembers_nothing(submission):
    """Each call stands alone: tokens, weights and mask of another one do not matter."""
    x, causal, other = normal(2, 5, 18), given(np.tri(5, dtype=bool)), keep_mask(5, 5)
    for seen in (causal, other, None):
        weights = random_weights()
        got = submission.multi_head_attention(x, *weights, 3, seen)
        equal(got, naive(x, weights, mask=seen))


# Refusals


def test_split_refuses_a_width_that_does_not_divide(submission):
    """Ten features cannot be shared evenly by three heads; a ValueError names both numbers."""
    ten, fourteen = numbered(9, 9, 10), numbered(3, 7, 14)  # of 294 numbers, which does not say 14
    pairs = [(x, heads) for heads in (3, 4, 20, 28) for x in (ten, fourteen)]
    for x, heads in in_any_order([*pairs, (ten, 5), (fourteen, 7)]):
        call = partial(submission.split_heads, x, heads)
        if x.shape[2] % heads:
            raises("ValueError", call, mentions=(x.shape[2], heads))
        else:
            equal(call(), naive_split(x, heads))
