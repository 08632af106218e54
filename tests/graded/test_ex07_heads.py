"""What splitting into heads is, and merging: every number keeps its sample, token and feature."""

from functools import partial

import numpy as np

from kata.judging.claims import arguments_kept, equal, gradients, raises
from kata.judging.inputs import given, in_any_order, normal, nudged, numpy, one_of


def numbered(samples, tokens, features):
    """Numbers that say where they stand: 10203 is sample 1, token 2, feature 3.

    In a graded run some of them are negative, so that nobody knows them beforehand.
    """
    sample, token = 10000.0 * np.arange(samples), 100.0 * np.arange(tokens)
    places = sample[:, None, None] + token[:, None] + np.arange(features)
    return given(places * np.sign(nudged(np.ones(places.shape), 2.0)))


def naive_split(x, heads):
    """One head after the other: head h gets the features h·D to (h+1)·D − 1."""
    whole = numpy(x)
    width = whole.shape[-1] // heads
    return np.stack([whole[..., h * width : (h + 1) * width] for h in range(heads)], axis=1)


def naive_merge(x):
    """The way back: what each head has, side by side."""
    parts = numpy(x)
    return np.concatenate([parts[:, h] for h in range(parts.shape[1])], axis=-1)


def in_heads(samples, heads, tokens, width):
    """Numbered features, and the same where they lie in heads already, in memory too."""
    whole = numbered(samples, tokens, heads * width)
    return whole, given(naive_split(whole, heads), dtype="float32")


# The idea


# split_heads


def test_split_gives_each_head_a_block_of_features(submission):
    """Head 0 gets the first D features of a token, head 1 the next D. All tokens here are alike."""
    a, b, c, d, e, f = in_any_order([0.0, 1.0, 2.0, 3.0, 4.0, 5.0])
    x = given(np.tile([a, b, c, d, e, f], (5, 4, 1)))
    equal(submission.split_heads(x, 3), np.tile([[[a, b]], [[c, d]], [[e, f]]], (5, 1, 4, 1)))


def test_split_gives_each_head_every_token(submission, device):
    """Token 2 is token 2 in every head: 203 is feature 3 of token 2, and stays with its token."""
    x = numbered(1, 5, 18).repeat(2, 1, 1)  # both samples are alike
    equal(submission.split_heads(x, 3), naive_split(x, 3))


def test_split_keeps_samples_apart(submission, device):
    """The heads of a sample hold numbers of that sample: 10203 is of sample 1, and stays there."""
    x = numbered(2, 5, 18)
    equal(submission.split_heads(x, 3), naive_split(x, 3))


def test_split_does_not_mix_up_samples_and_heads(submission):
    """B = H: no length says which axis is which. 10203 is sample 1, token 2, feature 3."""
    x = numbered(3, 5, 18)
    equal(submission.split_heads(x, 3), naive_split(x, 3))


def test_split_does_not_mix_up_tokens_and_heads(submission):
    """S = H: the right shape proves nothing. 10203 is sample 1, token 2, feature 3."""
    x = numbered(2, 3, 18)
    equal(submission.split_heads(x, 3), naive_split(x, 3))


# merge_heads


def test_merge_puts_the_heads_side_by_side(submission):
    """First come all features of head 0, then those of head 1. All tokens here are alike."""
    a, b, c, d, e, f = in_any_order([0.0, 1.0, 2.0, 3.0, 4.0, 5.0])
    x = given(np.tile([[[a, b]], [[c, d]], [[e, f]]], (5, 1, 4, 1)))
    equal(submission.merge_heads(x), np.tile([a, b, c, d, e, f], (5, 4, 1)))


def test_merge_joins_what_belongs_to_one_token(submission, device):
    """A row of the result holds one token: 203 is feature 3 of token 2, and comes back to row 2."""
    whole, x = in_heads(1, 2, 5, 9)
    equal(submission.merge_heads(x.repeat(3, 1, 1, 1)), whole.repeat(3, 1, 1))


def test_merge_keeps_samples_apart(submission, device):
    """The result for a sample is made of its own heads: 10203 is of sample 1."""
    whole, x = in_heads(2, 3, 5, 6)
    equal(submission.merge_heads(x), whole)


def test_merge_does_not_mix_up_samples_and_heads(submission):
    """B = H: no length says which axis is which. 10203 is sample 1, token 2, feature 3."""
    whole, x = in_heads(3, 3, 5, 6)
    equal(submission.merge_heads(x), whole)


def test_merge_does_not_mix_up_tokens_and_heads(submission):
    """S = H: the right shape proves nothing. 10203 is sample 1, token 2, feature 3."""
    whole, x = in_heads(2, 3, 3, 6)
    equal(submission.merge_heads(x), whole)


# Both


def test_merge_returns_what_the_heads_made_not_what_they_got(submission):
    """Between split and merge heads attend: merged is what they give, and not what they got."""
    x = normal(2, 5, 18)
    parts = submission.split_heads(x, 3)
    equal(parts, naive_split(x, 3))
    equal(submission.merge_heads(2 * parts), 2 * numpy(x))


# The fine print


# split_heads


def test_split_accepts_transposed_views(submission):
    """If tokens or features came first, memory is in another order; 203 is still token 2."""
    for axis in (0, 2):
        x = numbered(2, 5, 18).transpose(axis, 1).contiguous().transpose(axis, 1)
        equal(submission.split_heads(x, 3), naive_split(x, 3))


def test_split_allows_heads_of_an_odd_width(submission):
    """Fifteen features for three heads are five each: a width need not be even, only divide."""
    x = numbered(2, 4, 15)
    equal(submission.split_heads(x, 3), naive_split(x, 3))


def test_split_does_not_mix_up_heads_and_features(submission):
    """H = D: head 1 still gets features 3 to 5 of nine, and not every third one."""
    x = numbered(2, 5, 9)
    equal(submission.split_heads(x, 3), naive_split(x, 3))


def test_split_does_not_mix_up_tokens_and_features(submission):
    """S = D: a head is a square, and on its side it has the right shape too. 203 is token 2."""
    x = numbered(2, 6, 18)
    equal(submission.split_heads(x, 3), naive_split(x, 3))


def test_split_keeps_dimensions_of_length_one(submission):
    """Dimensions of length one stay: four dimensions come back, whatever their lengths."""
    x = numbered(1, 1, 6)
    equal(submission.split_heads(x, 1), naive_split(x, 1))


def test_gradients_flow_through_split(submission):
    """Splitting only moves numbers, so each gradient moves back to where its number came from."""
    x = normal(2, 5, 18, grad=True)
    parts = submission.split_heads(x, 3)
    equal(parts, naive_split(x, 3))
    steps = np.linspace(-1, 1, 180).reshape(2, 3, 5, 6)
    equal(gradients(parts, x)[0], naive_merge(steps), what="the gradient of x")


# merge_heads


def test_merge_accepts_transposed_views(submission):
    """A transpose leaves heads out of order in memory; 203 is still token 2, feature 3."""
    for axis in (1, 3):
        whole, x = in_heads(2, 3, 5, 6)
        turned = x.transpose(axis, 2).contiguous().transpose(axis, 2)
        equal(submission.merge_heads(turned), whole)


def test_merge_does_not_mix_up_tokens_and_features(submission):
    """S = D: a head is a square, and on its side it has the right shape too. 203 is token 2."""
    whole, x = in_heads(2, 3, 6, 6)
    equal(submission.merge_heads(x), whole)


def test_merge_does_not_mix_up_heads_and_features(submission):
    """H = D: features 4 to 7 of sixteen are still those of head 1, and not one of each head."""
    whole, x = in_heads(2, 4, 5, 4)
    equal(submission.merge_heads(x), whole)


def test_merge_keeps_dimensions_of_length_one(submission):
    """Dimensions of length one stay: three dimensions come back, whatever their lengths."""
    for samples, heads, tokens, width in ((1, 3, 1, 2), (1, 1, 1, 6), (2, 1, 5, 3), (1, 2, 5, 1)):
        whole, x = in_heads(samples, heads, tokens, width)
        equal(submission.merge_heads(x), whole)


def test_gradients_flow_through_merge(submission):
    """Merging only moves numbers too: its gradient is split as the features were."""
    x = normal(2, 3, 5, 6, grad=True)
    whole = submission.merge_heads(x)
    equal(whole, naive_merge(x))
    steps = np.linspace(-1, 1, 180).reshape(2, 5, 18)
    equal(gradients(whole, x)[0], naive_split(steps, 3), what="the gradient of x")
    x = normal(2, 5, 3, 6, grad=True).transpose(1, 2)
    equal(
        gradients(submission.merge_heads(x), x)[0], naive_split(steps, 3), what="the gradient of x"
    )


# Both


def test_integers_and_float64_are_split_and_merged_too(submission):
    """Numbers are moved, whatever they are: integers as in the examples, or float64. They come back
    in the dtype in which they came."""
    for dtype, tokens in (("int64", 4), ("float64", 7)):
        numbers = numpy(numbered(2, tokens, 18))
        x, parts = given(numbers, dtype=dtype), given(naive_split(numbers, 3), dtype=dtype)
        equal(submission.split_heads(x, 3), parts, dtype=dtype)
        equal(submission.merge_heads(parts), x, dtype=dtype)


def test_merge_undoes_split_for_every_number_of_heads(submission):
    """From one head of E features to E heads of one: split shares out, merge brings back."""
    x = numbered(2, 5, 6)
    for heads in (1, 2, 3, 6):
        parts = submission.split_heads(x, heads)
        equal(parts, naive_split(x, heads))
        equal(submission.merge_heads(parts), x)


def test_split_and_merge_take_twelve_heads_of_49_features(submission):
    """Twelve heads of 49 features: about as wide as in a real model, and no power of two."""
    x = normal(2, 5, 588)
    parts = submission.split_heads(x, 12)
    equal(parts, naive_split(x, 12))
    equal(submission.merge_heads(parts), x)


def test_arguments_stay_as_they_are(submission):
    """The caller's tensor keeps its shape and its numbers, since others may use it too."""
    for heads in (3, 1):
        x, parts = normal(2, 5, 18), normal(2, heads, 5, 6)
        equal(submission.split_heads(x, heads), naive_split(x, heads))
        equal(submission.merge_heads(parts), naive_merge(parts))
    arguments_kept()


def test_earlier_results_stay_as_they_are(submission):
    """Queries, keys and values are split in turn: a later call changes no earlier result."""
    x, parts = normal(2, 5, 18), normal(2, 3, 5, 6)
    split, merged = submission.split_heads(x, 3), submission.merge_heads(parts)
    submission.split_heads(x + 1, 3)
    submission.merge_heads(parts + 1)
    equal(split, naive_split(x, 3), what="the first result of split_heads")
    equal(merged, naive_merge(parts), what="the first result of merge_heads")


# Refusals


def test_split_refuses_a_width_that_does_not_divide(submission):
    """Ten features cannot be shared evenly by three heads; a ValueError names both numbers."""
    ten, eighteen = normal(9, 9, 10), numbered(2, 5, 18)
    more = one_of(7, 11, 12, 13, 14, 15, 16, 17)
    cases = (ten, 3), (ten, 4), (ten, 20), (eighteen, 4), (eighteen, more), (eighteen, 6)
    for x, heads in in_any_order(cases):
        call = partial(submission.split_heads, x, heads)
        if x.shape[-1] % heads:
            raises("ValueError", call, mentions=(x.shape[-1], heads))
        else:
            equal(call(), naive_split(x, heads))
