"""What a mask says and does: True means "may attend", and every other key gets weight zero."""

from functools import partial

import numpy as np
import torch.nn.functional as F

from kata.judging.claims import (
    arguments_kept,
    equal,
    equal_gradient,
    gradients,
    has_shape,
    is_array,
    is_pair,
    raises,
)
from kata.judging.inputs import (
    arrays,
    given,
    in_any_order,
    keep_mask,
    normal,
    nudged,
    numpy,
    one_of,
)


def naive(scores, mask=True):
    """Softmax over the allowed keys alone; a fully masked row stays zero."""
    scores, mask = arrays(scores, mask)
    allowed = np.broadcast_to(mask, scores.shape)
    largest = scores.max(axis=-1, keepdims=True, where=allowed, initial=-np.inf)
    powers = np.exp(scores - largest, where=allowed, out=np.zeros(scores.shape))
    return powers / np.maximum(powers.sum(axis=-1, keepdims=True), 1)  # the largest power is 1


def renormalised(weights, mask):
    """What is left of each row, divided by its sum; a fully masked row stays zero."""
    kept = numpy(weights) * numpy(mask)
    return kept / np.maximum(kept.sum(axis=-1, keepdims=True), 1e-300)


def naive_attention(query, key, value, mask=True):
    """Output and weights by their definition, in float64."""
    query, key, value = arrays(query, key, value)
    scores = np.einsum("...td,...sd->...ts", query, key) / np.sqrt(query.shape[-1])
    weights = naive(scores, mask)
    return np.einsum("...ts,...sv->...tv", weights, value), weights


def any_size(usual):
    """This size for learners; in a graded run one that is a little larger."""
    return one_of(usual, *range(usual + 1, usual + 50))


def problem(*leading, dtype="", grad=False):
    """A query, a key and a value: 5 queries, 7 keys, widths 6 and 4."""
    sizes = (5, 6), (7, 6), (7, 4)
    return [normal(*leading, *size, dtype=dtype, grad=grad) for size in sizes]


def of_very_different_size():
    """Scores of some thousandths to some thousands, which float32 holds."""
    query, key, value = (normal(2, *each, dtype="float64") for each in ((5, 4), (7, 4), (7, 6)))
    query, key = (8 * query).round() / 8, (8 * key).round() / 8
    return query * given([[2000.0], [1.0], [1 / 1024], [-2000.0], [50.0]], "float64"), key, value


def weigh(submission, scores, mask):
    """What a softmax makes of masked scores: all that is judged about them."""
    masked = submission.mask_scores(scores, mask)
    is_array(masked)
    return (masked if masked.is_floating_point() else masked.double()).softmax(dim=-1)


def attend(submission, *arguments):
    """Output and weights, which are two arrays."""
    pair = submission.masked_attention(*arguments)
    is_pair(pair)
    is_array(pair[0], "output")
    is_array(pair[1], "weights")
    return pair


def equal_to_naive(submission, *arguments):
    """Weights and output are those of the definition; the weights come first."""
    output, weights = attend(submission, *arguments)
    right = naive_attention(*arguments)
    equal(weights, right[1], what="weights")
    equal(output, right[0], what="output")


def far_above(*leading):
    """Inputs and a mask that hides key 3 from each query, for which it scores about 150."""
    (query, key, value), mask = problem(*leading), keep_mask(5, 7)
    query[..., 0], key[..., 3, 0] = 1.0, 150 * 6**0.5
    mask[:, 3], mask[:, 0] = False, True
    return [each.requires_grad_() for each in (query, key, value)], mask


def alike(got, other):
    """Whether they are the same numbers, all of them."""
    return got.shape == other.shape and np.allclose(*arrays(got, other), atol=1e-4)


def is_not(got, without, right):
    """The weights differ from those without a mask."""
    has_shape(got, right.shape, "weights")
    if alike(got, without):
        equal(got, right, what="weights")


def is_not_inverted(got, mask, right):
    """The weight of the queries does not lie on hidden keys alone."""
    has_shape(got, right.shape, "weights")
    weights, hidden = arrays(got, ~mask)
    if np.allclose((weights * hidden).sum(-1), 1, atol=1e-4):
        equal(got, right, what="weights")


def same_gradients(found, expected, names, where=None):
    """Each gradient is finite, and the one that it should be."""
    for mine, right, name in zip(found, expected, names, strict=True):
        equal_gradient(mine, right, name, where)


def large():
    """A problem whose values are so large that weights get large gradients."""
    query, key, value = problem(2)
    return [each.requires_grad_() for each in (query, key, 30 * value)]


# The idea


# causal_mask


def test_every_position_may_attend_to_itself(submission):
    """A causal mask is a square of booleans with True on its diagonal: each token sees itself."""
    size = any_size(4)
    right = np.tri(size, dtype=bool)
    equal(submission.causal_mask(size), right, where=np.eye(size) == 1)


def test_no_position_may_attend_to_a_later_one(submission):
    """Right of the diagonal all is False: row t is a query, column s a key, and s > t is later."""
    size = any_size(4)
    right = np.tri(size, dtype=bool)
    equal(submission.causal_mask(size), right, where=np.tri(size).T == 1)


def test_every_position_may_attend_to_all_earlier_ones(submission):
    """Left of the diagonal all is True: the whole past is there, not only its last token."""
    size = any_size(4)
    right = np.tri(size, dtype=bool)
    equal(submission.causal_mask(size), right)


# padding_mask


def test_padding_mask_shows_the_first_tokens_of_each_sample(submission, device):
    """Of 5 keys a sample of length 4 shows the first 4; the mask is bool (B, 1, S)."""
    lengths = given(in_any_order([4, one_of(1, 2, 3), one_of(3, 2, 1)]))
    right = np.arange(5) < numpy(lengths)[:, None, None]
    equal(submission.padding_mask(lengths, 5), right)


def test_a_length_equal_to_the_size_hides_nothing(submission):
    """A length equal to `size` is not too long: it hides nothing."""
    size = any_size(3)
    right = np.arange(size) < [[[size]], [[2]]]
    equal(submission.padding_mask(given([size, 2]), size), right)


# mask_scores


def test_mask_scores_does_not_invert_the_mask(submission):
    """True means "may attend": the keys that a softmax still sees are those with True."""
    queries, keys = one_of(5, 3, 4, 6, 11, 12), one_of(7, 8, 9, 10, 13, 14)
    scores, mask = normal(queries, keys), keep_mask(queries, keys)
    is_not_inverted(weigh(submission, scores, mask), mask, naive(scores, mask))


def test_a_mask_changes_the_scores(submission):
    """Every query here has a key to hide, so a softmax cannot give what it gave before."""
    queries, keys = one_of(5, 3, 4, 6, 11, 12), one_of(7, 8, 9, 10, 13, 14)
    scores, mask = normal(queries, keys), keep_mask(queries, keys)
    is_not(weigh(submission, scores, mask), naive(scores), naive(scores, mask))


def test_hidden_scores_get_weight_zero(submission, device):
    """After a softmax hidden keys have zero and the others what they would have without them."""
    scores, mask = normal(5, 7), keep_mask(5, 7)
    equal(weigh(submission, scores, mask), naive(scores, mask), what="weights")


def test_each_sample_has_a_score_mask_of_its_own(submission):
    """With a mask of shape (B, T, S) sample b is hidden by mask b, not by another one."""
    scores, mask = normal(3, 5, 7), keep_mask(3, 5, 7)
    equal(weigh(submission, scores, mask), naive(scores, mask), what="weights")


def test_a_mask_broadcasts_to_the_scores(submission):
    """One row for all (S,), a row for a sample (B, 1, 1, S), a mask for its heads (B, 1, T, S)."""
    scores = normal(2, 3, 5, 7)
    for shape in ((7,), (5, 7), (2, 1, 1, 7), (2, 1, 5, 7), (1, 3, 5, 7)):
        mask = keep_mask(*shape)
        equal(weigh(submission, scores, mask), naive(scores, mask), what="weights")


def test_a_padding_mask_broadcasts_to_scores_without_heads(submission):
    """A mask (B, 1, S) has the same row for all queries of a sample (B, T, S)."""
    scores, mask = normal(3, 5, 7), keep_mask(3, 1, 7)
    equal(weigh(submission, scores, mask), naive(scores, mask), what="weights")


# mask_weights


def test_hidden_weights_become_zero(submission):
    """Hidden keys lose their weight, and no other key does."""
    scores, mask = normal(5, 7), keep_mask(5, 7)
    weights = submission.mask_weights(scores.softmax(dim=-1), mask)
    equal(weights, naive(scores, mask), where=~mask)
    equal(weights != 0, mask, what="whether a weight is left")


def test_weights_that_are_left_sum_to_one_again(submission):
    """With the first of 0.5, 0.2 and 0.3 hidden, 0.2 and 0.3 of 0.5 are left: 0.4 and 0.6."""
    mask = given([[False, True, True]])
    for left in ([0.2, 0.3], nudged([0.3, 0.4], by=0.05)):
        weights = given([[1 - sum(left), *left]])
        got = submission.mask_weights(weights, mask)
        equal(got, renormalised(weights, mask))


def test_a_small_remainder_is_divided_by_its_sum_and_nothing_else(submission):
    """0.03 and 0.02 become 0.6 and 0.4: whatever is left is divided by its sum, nothing else."""
    mask = given([[False, True, True]])
    for left in ([0.03, 0.02], nudged([0.01, 0.04], by=0.005)):
        weights = given([[1 - sum(left), *left]])
        equal(submission.mask_weights(weights, mask), renormalised(weights, mask))


def test_mask_weights_agrees_with_mask_scores(submission, device):
    """Each row comes to what a softmax over its allowed keys gives: two ways, one answer."""
    scores, mask = normal(5, 7), keep_mask(5, 7)
    weights = submission.mask_weights(scores.softmax(dim=-1), mask)
    equal(weights, naive(scores, mask))


def test_a_mask_broadcasts_to_the_weights_of_many_heads(submission):
    """Leading dimensions are free, and the mask broadcasts to them: rows stay rows."""
    scores = normal(2, 3, 5, 7, scale=0.5)  # some weight is left to every query
    for shape in ((7,), (2, 1, 1, 7), (2, 1, 5, 7)):
        mask = keep_mask(*shape)
        equal(submission.mask_weights(scores.softmax(dim=-1), mask), naive(scores, mask))


def test_each_sample_has_a_weight_mask_of_its_own(submission):
    """With a mask of shape (B, T, S) sample b loses what mask b hides; B does not count heads."""
    scores, mask = normal(3, 5, 7), keep_mask(3, 5, 7)
    got = submission.mask_weights(scores.softmax(dim=-1), mask)
    equal(got, naive(scores, mask))


# masked_attention


def test_without_a_mask_the_weights_are_a_softmax_over_all_keys(submission, device):
    """`mask=None` hides nothing: the weights are a softmax over keys of q·k / √D."""
    query, key, value = problem(2)
    _, weights = attend(submission, query, key, value)
    equal(weights, naive_attention(query, key, value)[1], what="weights")


def test_without_a_mask_the_output_is_a_weighted_sum_of_all_values(submission):
    """The output of a query is the sum of all values, each times its weight."""
    query, key, value = problem(2)
    output, _ = attend(submission, query, key, value)
    equal(output, naive_attention(query, key, value)[0], what="output")


def test_queries_and_values_may_have_any_width(submission):
    """The scale follows the width of the query at every call; values may have another width."""
    for width, value_width in ((3, 8), (8, 3)):
        query, key, value = normal(2, 5, width), normal(2, 7, width), normal(2, 7, value_width)
        equal_to_naive(submission, query, key, value)


def test_masked_attention_does_not_invert_the_mask(submission):
    """True means "may attend": no query puts all its weight on the keys with False."""
    samples = one_of(2, 3, 4, 6, *range(8, 24))
    (query, key, value), mask = problem(samples), keep_mask(samples, 5, 7)
    _, weights = attend(submission, query, key, value, mask)
    is_not_inverted(weights, mask, naive_attention(query, key, value, mask)[1])


def test_a_mask_changes_attention(submission):
    """Attention with a mask is not attention without one, where every query has a key to hide."""
    (query, key, value), mask = problem(2), keep_mask(2, 5, 7)
    without = attend(submission, query, key, value)
    equal(without[0], naive_attention(query, key, value)[0], what="output without a mask")
    output, weights = attend(submission, query, key, value, mask)
    if alike(output, without[0]):
        is_not(weights, without[1], naive_attention(query, key, value, mask)[1])


def test_no_later_token_reaches_an_earlier_output(submission):
    """Under a causal mask token s can be anything: outputs before s stay as they are."""
    tokens, mask = normal(2, 5, 6), given(np.tri(5, dtype=bool))
    before, _ = attend(submission, tokens, tokens, tokens, mask)
    for later in range(1, 5):
        changed = tokens.clone()
        changed[:, later] = normal(2, 6)
        output, _ = attend(submission, changed, changed, changed, mask)
        what = f"output after a change of token {later}"
        equal(output, before, where=(np.arange(5) < later)[:, None], what=what)
    equal(before, tokens, where=np.eye(5, 1) == 1, what="output (the first token sees itself only)")


def test_only_allowed_keys_get_weight_and_reach_the_output(submission, device):
    """Hidden keys have weight zero, the others sum to one, and the output is made of these."""
    (query, key, value), mask = problem(2), keep_mask(5, 7)
    equal_to_naive(submission, query, key, value, mask)


def test_attention_hides_the_future_only_if_the_mask_does(submission):
    """A sequence that attends to itself sees its future too, unless the mask forbids it."""
    tokens, mask = normal(2, 5, 6), keep_mask(5, 5)
    _, weights = attend(submission, tokens, tokens, tokens)
    equal(weights, naive_attention(tokens, tokens, tokens)[1], what="weights")
    _, weights = attend(submission, tokens, tokens, tokens, mask)
    equal(weights, naive_attention(tokens, tokens, tokens, mask)[1], what="weights")


def test_each_sample_attends_under_its_own_mask(submission):
    """With a mask of shape (B, T, S) sample b is hidden by mask b, not by another one."""
    (query, key, value), mask = problem(3), keep_mask(3, 5, 7)
    _, weights = attend(submission, query, key, value, mask)
    equal(weights, naive_attention(query, key, value, mask)[1], what="weights")


def test_attention_masks_broadcast(submission):
    """One row for all (S,), a row for all queries of a sample (B, 1, S), a mask for all samples."""
    query, key, value = problem(2)
    for shape in ((7,), (2, 1, 7), (1, 5, 7)):
        mask = keep_mask(*shape)
        equal_to_naive(submission, query, key, value, mask)


def test_rows_of_a_mask_belong_to_queries_not_to_samples(submission):
    """A mask (5, S) has a row for each query; that there are 5 samples too changes nothing."""
    (query, key, value), mask = problem(5), keep_mask(5, 7)
    _, weights = attend(submission, query, key, value, mask)
    equal(weights, naive_attention(query, key, value, mask)[1], what="weights")


# The fine print


# causal_mask


def test_a_causal_mask_may_have_any_size(submission):
    """`size` decides at every call: one token or 130, whatever was asked for before."""
    for size in (6, 1, 3, any_size(130)):
        equal(submission.causal_mask(size), np.tri(size, dtype=bool))


# padding_mask


def test_a_length_of_zero_hides_every_key_of_its_sample(submission):
    """A length of 0 is a length: it hides every key of its sample, also in a batch of zeros."""
    size = any_size(3)
    right = np.arange(size) < [[[0]], [[2]]]
    equal(submission.padding_mask(given([0, 2]), size), right)
    equal(submission.padding_mask(given([0, 0]), size), right & False)


def test_lengths_may_be_integers_of_any_width(submission):
    """Lengths may be int32 or uint8 to save memory: they count tokens all the same, from 0 on."""
    size = any_size(4)
    for dtype in ("int32", "uint8"):
        got = submission.padding_mask(given([2, 3, 0], dtype=dtype), size)
        equal(got, np.arange(size) < [[[2]], [[3]], [[0]]])


def test_a_padding_mask_of_one_token_keeps_all_three_dimensions(submission):
    """The shape is (B, 1, S) even if that is (1, 1, 1): a dimension of size 1 is still one."""
    for length, size in ((1, 1), (2, any_size(3))):
        equal(submission.padding_mask(given([length]), size), [[np.arange(size) < length]])


def test_lengths_stay_as_they_are(submission):
    """The lengths belong to the caller: neither their values nor their shape may change."""
    size = any_size(3)
    equal(submission.padding_mask(given([2, 0]), size), np.arange(size) < [[[2]], [[0]]])
    arguments_kept()


# mask_scores


def test_mask_scores_keeps_the_dtype_even_float16(submission):
    """The result has the dtype of the scores; float16 ends at 65504, so −1e9 is no number there."""
    for dtype in ("float16", "float32", "float64"):
        scores, mask = normal(5, 7, dtype=dtype), keep_mask(5, 7)
        weights = weigh(submission, scores, mask)
        equal(weights, naive(scores, mask), dtype=dtype, what="weights")


def test_hidden_keys_get_exactly_zero_among_scores_up_to_a_thousand(submission):
    """Hidden means zero whatever the scores are: −1,000 is not far below a score of −990."""
    mask = keep_mask(5, 7)
    scores = normal(5, 7) + given([[-990.0], [-300.0], [0.0], [300.0], [990.0]])
    scores[~mask] = 990
    weights = weigh(submission, scores, mask)
    equal(weights, naive(scores, mask), what="weights")
    equal(weights == 0, ~mask, what="whether a weight is exactly zero")


def test_hidden_keys_get_zero_even_if_all_scores_are_zero(submission):
    """Scores may be zero, all of them: what is far below them does not follow from their size."""
    scores, mask = given(np.zeros((5, 7))), keep_mask(5, 7)
    equal(weigh(submission, scores, mask), naive(scores, mask), what="weights")


def test_a_mask_that_hides_nothing_leaves_the_softmax_as_it_was(submission):
    """With True everywhere there is nothing to hide: the softmax is that of the scores."""
    scores = normal(5, 7)
    equal(weigh(submission, scores, given(np.ones((5, 7), dtype=bool))), naive(scores))


def test_scores_may_be_a_transposed_view(submission):
    """Scores that were transposed do not lie in order in memory; they are masked all the same."""
    scores, mask = normal(2, 5, 3, 7).transpose(1, 2), keep_mask(5, 7)
    equal(weigh(submission, scores, mask), naive(scores, mask), what="weights")


def test_masked_scores_of_a_single_query_keep_their_shape(submission):
    """One query has a row of its own: a dimension of size 1 stays where it is."""
    scores, mask = normal(2, 1, 7), keep_mask(2, 1, 7)
    equal(weigh(submission, scores, mask), naive(scores, mask), what="weights")


def test_gradients_flow_through_masked_scores(submission):
    """Allowed scores learn as in a softmax of their own; hidden ones get a gradient of zero."""
    scores, mask = normal(5, 7, grad=True), keep_mask(5, 7)
    found = gradients(weigh(submission, scores, mask), scores)
    right = gradients(scores.masked_fill(~mask, -np.inf).softmax(dim=-1), scores)
    same_gradients(found, right, ["scores"])


def test_mask_scores_changes_no_argument(submission):
    """Scores and mask belong to the caller: the masked scores are a new tensor."""
    scores, mask = normal(2, 5, 7), keep_mask(5, 7)
    equal(weigh(submission, scores, mask), naive(scores, mask), what="weights")
    arguments_kept()


# mask_weights


def test_mask_weights_keeps_the_dtype_even_float16(submission):
    """The result has the dtype of the weights."""
    for dtype in ("float16", "float32", "float64"):
        scores, mask = normal(5, 7, scale=0.5, dtype=dtype), given(~np.eye(5, 7, dtype=bool))
        weights = submission.mask_weights(scores.softmax(dim=-1), mask)  # most of it is left
        equal(weights, naive(scores, mask), dtype=dtype)


def test_weights_of_a_fully_masked_row_are_zero(submission):
    """A query that may attend to nothing keeps nothing: zeros, where 0/0 would be NaN."""
    left = nudged([0.2, 0.2], by=0.05)
    weights = given([[0.5, 0.2, 0.3], [1 - sum(left), *left]])
    mask = given([[False, False, False], [False, True, True]])
    equal(submission.mask_weights(weights, mask), renormalised(weights, mask))


def test_weights_of_a_fully_masked_sample_are_zero(submission):
    """A mask (B, 1, S) that is False for a whole sample leaves zeros in all rows of that sample."""
    scores, mask = normal(2, 5, 7), keep_mask(2, 1, 7)
    mask[1] = False
    got = submission.mask_weights(scores.softmax(dim=-1), mask)
    equal(got, naive(scores, mask))


def test_a_fully_masked_row_gives_zeros_in_float16_too(submission):
    """In float16 a guard like 1e-9 rounds to zero, and 0/0 is back."""
    left = nudged([0.25, 0.25], by=0.1)
    weights = given([[0.5, 0.25, 0.25], [1 - sum(left), *left]], dtype="float16")
    mask = given([[False, False, False], [False, True, True]])
    equal(submission.mask_weights(weights, mask), renormalised(weights, mask))


def test_a_remainder_below_any_epsilon_still_sums_to_one(submission):
    """A softmax may leave 3e-20 and 2e-20: small beside any guard, and 0.6 and 0.4 of their sum."""
    small, mask = nudged([3e-8, 2e-8], by=5e-9), given([False, True, True])
    weights = given([[1.0, 3e-20, 2e-20], [1.0, *small]])
    equal(submission.mask_weights(weights, mask), renormalised(weights, mask))


def test_weights_may_be_a_transposed_view(submission):
    """Weights that were transposed do not lie in order in memory; they are masked all the same."""
    scores, mask = normal(2, 5, 3, 7), keep_mask(5, 7)
    weights = scores.softmax(dim=-1).transpose(1, 2)
    equal(submission.mask_weights(weights, mask), naive(scores.transpose(1, 2), mask))


def test_masked_weights_of_a_single_query_keep_their_shape(submission):
    """One query has a row of its own: a dimension of size 1 stays where it is."""
    scores, mask = normal(2, 1, 7), keep_mask(2, 1, 7)
    got = submission.mask_weights(scores.softmax(dim=-1), mask)
    equal(got, naive(scores, mask))


def test_gradients_of_masked_weights_are_finite(submission):
    """A fully masked row has finite gradients too: a NaN covered up here returns in `backward`."""
    scores, mask = normal(5, 7, grad=True), keep_mask(5, 7)
    right = numpy(gradients(scores.masked_fill(~mask, -np.inf).softmax(dim=-1), scores)[0])
    mask[2], right[2] = False, 0
    for size in (1, 1000):  # of the gradients that come back to the result
        got = submission.mask_weights(scores.softmax(dim=-1), mask)
        is_array(got)
        found = [each / size for each in gradients(size * got, scores)]
        where = mask.any(-1)[:, None]
        same_gradients(found, [right], ["the scores behind the weights"], where=where)
    found = gradients(submission.mask_weights(scores.softmax(dim=-1), mask & False), scores)
    same_gradients(found, [right], ["the scores if all is hidden"], where=False)


def test_mask_weights_changes_no_argument(submission):
    """Weights and mask belong to the caller: what is left is a new tensor."""
    scores, mask = normal(2, 5, 7), keep_mask(5, 7)
    equal(submission.mask_weights(scores.softmax(dim=-1), mask), naive(scores, mask))
    arguments_kept()


# masked_attention


def test_masked_attention_keeps_the_dtype(submission):
    """float64 in, float64 out: output and weights have the dtype of the inputs."""
    for dtype in ("float32", "float64"):
        inputs, mask = problem(2, dtype=dtype), keep_mask(5, 7)
        output, weights = attend(submission, *inputs, mask)
        right = naive_attention(*inputs, mask)
        equal(output, right[0], dtype=dtype, what="output")
        equal(weights, right[1], dtype=dtype, what="weights")


def test_there_may_be_any_number_of_leading_dimensions(submission):
    """The last two dimensions are tokens and features, whatever stands before them."""
    for leading in ((), (3, 2), (3, 2, 4)):
        query, key, value = problem(*leading)
        output, weights = attend(submission, query, key, value)
        right = naive_attention(query, key, value)
        equal(weights, right[1], what="weights")
        equal(output, right[0], what="output")


def test_queries_of_very_different_size_do_not_overflow(submission):
    """Scores in the thousands have an infinite exp: each row subtracts a maximum of its own."""
    query, key, value = of_very_different_size()
    scores = query @ key.transpose(-2, -1)
    mask = keep_mask(2, 5, 7) | (scores == scores.amax(dim=-1, keepdim=True))
    equal_to_naive(submission, query, key, value, mask)


def test_large_scores_need_no_mask(submission):
    """Scores in the thousands have an infinite exp without a mask too, and none of them is cut off:
    each row subtracts a maximum of its own."""
    query, key, value = of_very_different_size()
    equal_to_naive(submission, query, key, value)


def test_a_hidden_key_may_score_far_above_the_others(submission):
    """A hidden key has no say, however high it scores: a softmax over all keys would give it all
    the weight, and the visible ones would share what is left of it: nothing."""
    mask = given([[1, 0, 1, 1], [1, 0, 0, 1]]) == 1
    scores = (("float32", 0, 150), ("float32", 0, 9999), ("float64", -9999, 9999))
    for dtype, visible, hidden in scores:
        query = given([[2.0, 0.0, 0.0, 0.0]] * 2, dtype=dtype)
        key, value = given(np.zeros((4, 4)), dtype=dtype), normal(4, 3, dtype=dtype)
        key[:, 0], key[1, 0] = visible, hidden  # their scores are 2 · these / √4
        output, weights = attend(submission, query, key, value, mask)
        right = naive_attention(query, key, value, mask)
        equal(weights, right[1], what="weights")
        equal(weights == 0, ~mask, what="whether a weight is exactly zero")
        equal(output, right[0], what="output")


def test_a_query_that_may_attend_to_nothing_gets_zeros(submission):
    """A query that may attend to no key has weights and output of zero, no NaN and no mean."""
    (query, key, value), mask = problem(2), keep_mask(2, 5, 7)
    _, weights = attend(submission, query, key, value, mask & False)
    equal(weights, np.zeros((2, 5, 7)), what="weights with a mask of False alone")
    mask[0, 3], mask[1] = False, False
    equal_to_naive(submission, query, key, value, mask)


def test_a_sample_of_padding_alone_gets_zeros(submission):
    """A sample of padding alone, in a mask (B, 1, S), has zeros for all of its queries."""
    (query, key, value), mask = problem(2), keep_mask(2, 1, 7)
    mask[1] = False
    equal_to_naive(submission, query, key, value, mask)


def test_inputs_may_be_transposed_views(submission):
    """Split heads are a transposed view of the tokens: their numbers do not lie in order."""
    query, key, value = (normal(2, size, 3, 6).transpose(1, 2) for size in (5, 7, 7))
    output, _ = attend(submission, query, key, value)
    equal(output, naive_attention(query, key, value)[0], what="output")


def test_attention_masks_broadcast_to_heads(submission):
    """One row for all (S,), a row for a sample (B, 1, 1, S), a mask for its heads (B, 1, T, S)."""
    query, key, value = problem(2, 3)
    for shape in ((7,), (2, 1, 1, 7), (2, 1, 5, 7), (1, 3, 5, 7)):
        mask = keep_mask(*shape)
        equal_to_naive(submission, query, key, value, mask)


def test_a_mask_of_three_dimensions_lines_up_with_the_heads(submission):
    """A mask (3, T, S) lines up with the heads, from the right, whether B is 3 too or 1."""
    for samples in (3, 1):
        (query, key, value), mask = problem(samples, 3), keep_mask(3, 5, 7)
        _, weights = attend(submission, query, key, value, mask)
        equal(weights, naive_attention(query, key, value, mask)[1], what="weights")


def test_there_may_be_more_queries_than_keys(submission):
    """Queries need not be keys as well: there may be more of them, each with a row of its own."""
    query, key, value, mask = normal(2, 7, 6), normal(2, 5, 6), normal(2, 5, 4), keep_mask(7, 5)
    equal_to_naive(submission, query, key, value, mask)


def test_a_single_query_obeys_its_mask(submission):
    """A single query need not be the last token: its mask holds like any other."""
    query, key, value = normal(2, 1, 6), normal(2, 7, 6), normal(2, 7, 4)
    mask = keep_mask(2, 1, 7)
    _, weights = attend(submission, query, key, value, mask)
    equal(weights, naive_attention(query, key, value, mask)[1], what="weights")


def test_a_single_token_gets_weight_one_and_its_own_value(submission):
    """One token that sees itself has weight 1 and its value as output; dimensions of 1 stay."""
    query, key, value = normal(1, 1, 6), normal(1, 1, 6), normal(1, 1, 4)
    output, weights = attend(submission, query, key, value, given([[[True]]]))
    equal(weights, [[[1.0]]], what="weights")
    equal(output, value, what="output")


def test_a_width_of_one_is_a_width(submission):
    """Queries, keys and values may have a single feature: a dimension of size 1 stays."""
    query, key, value = normal(2, 5, 1), normal(2, 7, 1), normal(2, 7, 1)
    equal_to_naive(submission, query, key, value)


def test_a_mask_of_one_column_broadcasts_to_all_keys(submission):
    """A mask (T, 1) broadcasts as well: True lets a query see every key, False lets it see none."""
    (query, key, value), mask = problem(2), given([[True], [False], [True], [True], [False]])
    equal_to_naive(submission, query, key, value, mask)


def test_a_single_key_gives_its_value_to_each_query_that_may_see_it(submission):
    """With one key the output of each query is its value, a row for each query that may see it."""
    query, key, value = normal(2, 5, 6), normal(2, 1, 6), normal(2, 1, 4)
    mask = given([[True], [False], [True], [True], [False]])
    equal_to_naive(submission, query, key, value, mask)


def test_gradients_flow_through_masked_attention(submission):
    """Query, key and value learn, each with the gradient that PyTorch's own attention gives it."""
    inputs, mask = problem(2, grad=True), keep_mask(2, 5, 7)
    found = gradients(attend(submission, *inputs, mask)[0], *inputs)
    right = gradients(F.scaled_dot_product_attention(*inputs, attn_mask=mask), *inputs)
    same_gradients(found, right, ["query", "key", "value"])


def test_gradients_flow_through_attention_without_a_mask(submission):
    """Query, key and value learn without a mask too."""
    inputs = problem(2, grad=True)
    found = gradients(attend(submission, *inputs)[0], *inputs)
    right = gradients(F.scaled_dot_product_attention(*inputs), *inputs)
    same_gradients(found, right, ["query", "key", "value"])


def test_a_hidden_key_that_scores_far_above_the_others_leaves_gradients_finite(submission):
    """exp(150) is inf in float32. Hidden afterwards it is a zero, but its gradient is 0 · inf."""
    inputs, mask = far_above(2)
    found = gradients(attend(submission, *inputs, mask)[0], *inputs)
    right = gradients(F.scaled_dot_product_attention(*inputs, attn_mask=mask), *inputs)
    same_gradients(found, right, ["query", "key", "value"])


def test_gradients_are_finite_beside_a_fully_masked_row(submission):
    """One NaN in the backward pass of a fully masked row would reach every weight of a model."""
    inputs, mask = large(), keep_mask(2, 5, 7)
    mask[0, 3], mask[1] = False, False
    found = gradients(attend(submission, *inputs, mask)[0], *inputs)
    right = gradients(F.scaled_dot_product_attention(*inputs, attn_mask=mask), *inputs)
    same_gradients(found, right, ["query", "key", "value"])


def test_gradients_are_finite_if_nothing_may_be_seen(submission):
    """A mask that is False everywhere stops no training: all gradients exist and are finite."""
    inputs, mask = large(), keep_mask(5, 7) & False
    found = gradients(attend(submission, *inputs, mask)[0], *inputs)
    same_gradients(found, inputs, ["query", "key", "value"], where=False)


def test_masked_attention_changes_no_argument(submission):
    """Query, key, value and mask belong to the caller, who may use the mask in the next layer."""
    (query, key, value), mask = problem(2), keep_mask(5, 7)
    output, _ = attend(submission, query, key, value, mask)
    equal(output, naive_attention(query, key, value, mask)[0], what="output")
    arguments_kept()


# Refusals


def test_a_length_above_the_size_is_an_error(submission):
    """More tokens than keys do not fit: a ValueError says so, wherever in the batch they stand."""
    size = any_size(7)
    above = [[size + 2], [size + 1], [size + 1, 4], [2, size + 1, 4]]
    for lengths in in_any_order([*above, [size], [2, size, 4]]):
        call = partial(submission.padding_mask, given(lengths), size)
        if lengths in above:
            raises("ValueError", call, mentions=(max(lengths), size))
        else:
            equal(call(), np.arange(size) < np.array(lengths)[:, None, None])
